#include "vision/cvshim.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <new>
#include <vector>

#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

// The one barrier: no exception leaves this file.
template <typename Body> static int guarded(Body body) noexcept
{
    try {
        // One thread: frames are handled in order on one core, and sums come out the same each
        // time.
        cv::setNumThreads(1);
        return body();
    } catch (const std::bad_alloc &) {
        return -ENOMEM;
    } catch (const cv::Exception &e) {
        return e.code == cv::Error::StsNoMem ? -ENOMEM : -EIO;
    } catch (...) {
        return -EIO;
    }
}

static cv::Mat plane(const uint8_t *data, int width, int height)
{
    return cv::Mat(height, width, CV_8UC1, const_cast<uint8_t *>(data));
}

static cv::Mat plane(const float *data, int width, int height)
{
    return cv::Mat(height, width, CV_32FC1, const_cast<float *>(data));
}

// Strongest first; equal strengths in reading order, so that the result never depends on the sort.
static void sort_by_strength(std::vector<cvshim_spot> &spots)
{
    std::stable_sort(spots.begin(), spots.end(), [](const cvshim_spot &a, const cvshim_spot &b) {
        return a.strength > b.strength;
    });
}

static int first_of(const std::vector<cvshim_spot> &spots, cvshim_spot *ret, int max)
{
    const int count = std::min(max, static_cast<int>(spots.size()));
    std::copy_n(spots.begin(), count, ret);
    return count;
}

int cvshim_shrink(const uint8_t *src, int width, int height, uint8_t *dst, int dst_width,
                  int dst_height)
{
    return guarded([&] {
        cv::Mat out = plane(dst, dst_width, dst_height);
        cv::resize(plane(src, width, height), out, out.size(), 0, 0, cv::INTER_AREA);
        return 0;
    });
}

int cvshim_log_luma(const uint8_t *src, int width, int height, double sigma, float *dst)
{
    return guarded([&] {
        float table[256];
        for (int i = 0; i < 256; i++)
            table[i] = std::log(static_cast<float>(i) + 4.0F);
        cv::Mat out = plane(dst, width, height);
        cv::LUT(plane(src, width, height), cv::Mat(1, 256, CV_32FC1, table), out);
        if (sigma > 0)
            cv::GaussianBlur(out, out, cv::Size(), sigma, sigma, cv::BORDER_REPLICATE);
        return 0;
    });
}

int cvshim_crossings(const float *image, int width, int height, cvshim_spot *ret, int max)
{
    return guarded([&] {
        const cv::Mat in = plane(image, width, height);
        cv::Mat xx, yy, xy;
        cv::Sobel(in, xx, CV_32F, 2, 0, 3, 0.25);
        cv::Sobel(in, yy, CV_32F, 0, 2, 3, 0.25);
        cv::Sobel(in, xy, CV_32F, 1, 1, 3, 0.25);
        cv::Mat smaller(height, width, CV_32F);
        for (int y = 0; y < height; y++) {
            const float *a = xx.ptr<float>(y), *b = yy.ptr<float>(y), *c = xy.ptr<float>(y);
            float *s = smaller.ptr<float>(y);
            for (int x = 0; x < width; x++) {
                const float half = (a[x] - b[x]) / 2, mean = (a[x] + b[x]) / 2;
                const float spread = std::sqrt(half * half + c[x] * c[x]);
                // On a single line the curvature along it is only noise, however strong the line.
                s[x] = mean - spread > 0.25F * (mean + spread) ? mean - spread : 0;
            }
        }
        cv::Mat peak;
        cv::dilate(smaller, peak, cv::Mat::ones(5, 5, CV_8U));
        std::vector<cvshim_spot> spots;
        for (int y = 2; y < height - 2; y++) {
            const float *s = smaller.ptr<float>(y), *p = peak.ptr<float>(y);
            for (int x = 2; x < width - 2; x++)
                if (s[x] == p[x] && s[x] > 0.004F)
                    spots.push_back({static_cast<float>(x), static_cast<float>(y), s[x]});
        }
        sort_by_strength(spots);
        return first_of(spots, ret, max);
    });
}

// Peaks of the distance from the rim of what is set in a mask, strongest first.
static std::vector<cvshim_spot> mask_peaks(const cv::Mat &mask, double min_radius)
{
    cv::Mat distance, peak;
    cv::distanceTransform(mask, distance, cv::DIST_L2, 5);
    cv::GaussianBlur(distance, distance, cv::Size(), 1.0, 1.0);
    cv::dilate(distance, peak, cv::Mat::ones(7, 7, CV_8U));
    std::vector<cvshim_spot> spots;
    for (int y = 0; y < distance.rows; y++) {
        const float *d = distance.ptr<float>(y), *p = peak.ptr<float>(y);
        for (int x = 0; x < distance.cols; x++)
            if (d[x] == p[x] && d[x] >= static_cast<float>(min_radius))
                spots.push_back({static_cast<float>(x), static_cast<float>(y), d[x]});
    }
    sort_by_strength(spots);
    return spots;
}

int cvshim_discs(const float *image, int width, int height, int sign, double contrast, int reach,
                 double min_radius, cvshim_spot *ret, int max)
{
    return guarded([&] {
        const cv::Mat in = plane(image, width, height);
        // The surroundings: a large median, taken on a small picture because it is smooth anyway.
        const int small_width = std::max(1, width / 4), small_height = std::max(1, height / 4);
        cv::Mat small, bytes, median, around;
        cv::resize(in, small, cv::Size(small_width, small_height), 0, 0, cv::INTER_AREA);
        small.convertTo(bytes, CV_8U, 40.0);
        cv::medianBlur(bytes, median, std::min(255, (reach / 4) | 1));
        median.convertTo(median, CV_32F, 1 / 40.0);
        cv::resize(median, around, in.size(), 0, 0, cv::INTER_LINEAR);
        const cv::Mat mask =
            sign < 0 ? cv::Mat(in < around - contrast) : cv::Mat(in > around + contrast);
        return first_of(mask_peaks(mask, min_radius), ret, max);
    });
}

// Is it a disc: about it, as far again, the mask is mostly not set?
static bool is_round(const cv::Mat &sums, const cvshim_spot &s)
{
    constexpr float AROUND = 1.5F;  // radii
    constexpr double FILLED = 0.55; // a disc fills 0.35 of that square, a band 0.67
    const int reach = cvRound(AROUND * s.strength), x = cvRound(s.x), y = cvRound(s.y);
    const int x0 = std::max(0, x - reach), x1 = std::min(sums.cols - 1, x + reach + 1);
    const int y0 = std::max(0, y - reach), y1 = std::min(sums.rows - 1, y + reach + 1);
    const double set = sums.at<double>(y1, x1) - sums.at<double>(y0, x1) - sums.at<double>(y1, x0) +
                       sums.at<double>(y0, x0);
    return set < FILLED * 255 * (x1 - x0) * (y1 - y0);
}

// Those that are round, and of two that overlap the stronger.
static std::vector<cvshim_spot> keep_round(const cv::Mat &mask,
                                           const std::vector<cvshim_spot> &spots)
{
    constexpr float NEAR = 1.2F; // radii
    std::vector<cvshim_spot> kept;
    cv::Mat sums;
    cv::integral(mask, sums, CV_64F);
    for (const cvshim_spot &s : spots) {
        const bool fine =
            is_round(sums, s) && std::none_of(kept.begin(), kept.end(), [&](const cvshim_spot &k) {
                return std::hypot(k.x - s.x, k.y - s.y) <= NEAR * k.strength;
            });
        if (fine)
            kept.push_back(s);
    }
    return kept;
}

int cvshim_studs(const float *image, int width, int height, int sign, double contrast, int reach,
                 double min_radius, cvshim_spot *ret, int max)
{
    return guarded([&] {
        enum { SPECK = 5 };
        const cv::Mat in = plane(image, width, height);
        const cv::Mat speck = cv::Mat::ones(SPECK, SPECK, CV_8U);
        const cv::Mat around = cv::Mat::ones(reach, reach, CV_8U);
        const int fill = sign < 0 ? cv::MORPH_CLOSE : cv::MORPH_OPEN;
        cv::Mat smooth, filled;
        cv::morphologyEx(in, smooth, sign < 0 ? cv::MORPH_OPEN : cv::MORPH_CLOSE, speck);
        cv::morphologyEx(smooth, filled, fill, around);
        const cv::Mat mask =
            sign < 0 ? cv::Mat(smooth < filled - contrast) : cv::Mat(smooth > filled + contrast);
        return first_of(keep_round(mask, mask_peaks(mask, min_radius)), ret, max);
    });
}

int cvshim_calibrate_lens(const float (*board)[2], const float (*image)[2], const int *counts,
                          int views, int width, int height, double ret_lens[9], double *ret_rms)
{
    return guarded([&] {
        std::vector<std::vector<cv::Point3f>> object(static_cast<size_t>(views));
        std::vector<std::vector<cv::Point2f>> seen(static_cast<size_t>(views));
        for (int v = 0, at = 0; v < views; v++)
            for (int i = 0; i < counts[v]; i++, at++) {
                object[static_cast<size_t>(v)].emplace_back(board[at][0], board[at][1], 0.0F);
                seen[static_cast<size_t>(v)].emplace_back(image[at][0], image[at][1]);
            }
        cv::Mat camera = cv::Mat::eye(3, 3, CV_64F), distortion = cv::Mat::zeros(5, 1, CV_64F);
        std::vector<cv::Mat> rotation, translation;
        // One view can't tell a principal point from a tilt; few views can't tell k3 from k2.
        int flags = cv::CALIB_FIX_ASPECT_RATIO | cv::CALIB_FIX_K3;
        if (views < 4)
            flags |= cv::CALIB_FIX_PRINCIPAL_POINT | cv::CALIB_ZERO_TANGENT_DIST;
        camera.at<double>(0, 0) = camera.at<double>(1, 1) = std::max(width, height);
        camera.at<double>(0, 2) = (width - 1) / 2.0;
        camera.at<double>(1, 2) = (height - 1) / 2.0;
        flags |= cv::CALIB_USE_INTRINSIC_GUESS;
        const double rms = cv::calibrateCamera(object, seen, cv::Size(width, height), camera,
                                               distortion, rotation, translation, flags);
        if (!std::isfinite(rms))
            return -EIO;
        ret_lens[0] = camera.at<double>(0, 0);
        ret_lens[1] = camera.at<double>(1, 1);
        ret_lens[2] = camera.at<double>(0, 2);
        ret_lens[3] = camera.at<double>(1, 2);
        for (int i = 0; i < 5; i++)
            ret_lens[4 + i] = distortion.at<double>(i);
        *ret_rms = rms;
        return 0;
    });
}
