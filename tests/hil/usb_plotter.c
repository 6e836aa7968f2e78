// usb-plotter BUS TTY [LOG [SERIAL]]: the plug of the plotter's cable, an FT232R. What the host
// writes to /dev/ttyUSBn goes to TTY (the simulated firmware's), and back. Ending the process pulls
// it out.
//
// As with an Arduino, DTR is what opens and closes the line: when the host raises it the firmware's
// tty is opened (the board restarts), when it lowers it the tty is closed. The tty gets the host's
// baud rate, so that the firmware can judge it.
//
// LOG gets a line "NANOSECONDS CODE" (monotonic, hexadecimal) for every byte that stops the machine
// at once: feed hold ('!') and reset (0x18), at the time it leaves the plug. SERIAL is the number
// by which USB tells one plug from another.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

#include "config/base/clock.h"
#include "hil/usb_device.h"

// Requests of the FT232R and what its packets begin with.
enum {
    FTDI_RESET = 0,
    FTDI_MODEM_CONTROL = 1,
    FTDI_BAUD = 3,
    FTDI_MODEM_STATUS = 5,
    FTDI_GET_LATENCY = 10,
    FTDI_READ_EEPROM = 0x90,
    STATUS_BYTES = 2,
    PACKET = 64,
    LATENCY_MS = 16,
};

#define FTDI_CLOCK 3000000.0 // Hz, after the divider by sixteen

struct plotter {
    struct usb_device *usb;
    const char *tty_path;
    FILE *log;
    int in, out; // endpoints
    atomic_int tty;
    int wake; // the tty was opened or closed
    bool dtr;
    speed_t speed;
    pthread_t sender;
};

static const uint8_t STATUS[STATUS_BYTES] = {0x31, 0x60}; // CTS, DSR; transmitter empty

static const uint8_t CONFIGURATION[] = {
    9, USB_DT_CONFIG,    32,   0, 1,      1,   0,   0xa0, 45, // 90 mA from the bus
    9, USB_DT_INTERFACE, 0,    0, 2,      255, 255, 255,  2,  // of the vendor's class
    7, USB_DT_ENDPOINT,  0x81, 2, PACKET, 0,   0,             // to the host
    7, USB_DT_ENDPOINT,  0x02, 2, PACKET, 0,   0,             // from the host
};

// --- the line ---

static void set_speed(const struct plotter *p)
{
    struct termios t;
    const int tty = atomic_load(&p->tty);
    if (tty < 0 || tcgetattr(tty, &t) < 0)
        return;
    cfmakeraw(&t);
    t.c_cflag |= CLOCAL | CREAD;
    cfsetispeed(&t, p->speed);
    cfsetospeed(&t, p->speed);
    tcsetattr(tty, TCSANOW, &t);
}

static void raise_or_lower(struct plotter *p, bool dtr)
{
    if (dtr == p->dtr)
        return;
    p->dtr = dtr;
    const int old = atomic_exchange(
        &p->tty, dtr ? open(p->tty_path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK) : -1);
    if (old >= 0)
        close(old);
    if (dtr && atomic_load(&p->tty) < 0)
        fprintf(stderr, "usb-plotter: %s: %s\n", p->tty_path, strerror(errno));
    set_speed(p);
    const uint64_t one = 1;
    if (write(p->wake, &one, sizeof one) < 0)
        perror("usb-plotter: wake");
}

// The divisor in eighths: the whole part below, the code of the fraction above it.
static speed_t speed_of(unsigned value, unsigned index)
{
    static const unsigned eighths[8] = {0, 4, 2, 1, 3, 5, 6, 7};
    static const struct {
        double baud;
        speed_t speed;
    } known[] = {{9600, B9600},     {19200, B19200},   {38400, B38400},   {57600, B57600},
                 {115200, B115200}, {230400, B230400}, {460800, B460800}, {921600, B921600}};
    const unsigned code = (value >> 14 & 3) | (index & 1) << 2;
    const double divisor = (value & 0x3fff) + eighths[code] / 8.0;
    const double baud = FTDI_CLOCK / (divisor > 0 ? divisor : 1);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (baud > known[i].baud * 0.97 && baud < known[i].baud * 1.03)
            return known[i].speed;
    return B0;
}

static int on_request(void *user, const struct usb_ctrlrequest *r, uint8_t *data, size_t size)
{
    struct plotter *p = user;
    (void)size;
    if ((r->bRequestType & USB_TYPE_MASK) != USB_TYPE_VENDOR)
        return -EINVAL;
    switch (r->bRequest) {
    case FTDI_RESET:
        pthread_kill(p->sender, SIGUSR1); // what the host has not taken yet is thrown away
        return 0;
    case FTDI_MODEM_CONTROL:
        if (r->wValue & 0x100) // DTR is meant
            raise_or_lower(p, r->wValue & 1);
        return 0;
    case FTDI_BAUD:
        p->speed = speed_of(r->wValue, r->wIndex);
        set_speed(p);
        return 0;
    case FTDI_MODEM_STATUS:
        memcpy(data, STATUS, STATUS_BYTES);
        return STATUS_BYTES;
    case FTDI_GET_LATENCY:
        data[0] = LATENCY_MS;
        return 1;
    case FTDI_READ_EEPROM: // never written
        data[0] = data[1] = 0xff;
        return 2;
    default: // flow control, line format, latency: nothing follows from them here
        return 0;
    }
}

// --- bytes ---

static void note_stops(const struct plotter *p, const uint8_t *data, int size)
{
    if (!p->log)
        return;
    for (int i = 0; i < size; i++)
        if (data[i] == '!' || data[i] == 0x18)
            fprintf(p->log, "%lld %02x\n", (long long)clock_monotonic_ns(), data[i]);
    fflush(p->log);
}

static void *from_host(void *user)
{
    struct plotter *p = user;
    uint8_t data[PACKET];
    for (;;) {
        const int n = usb_device_read(p->usb, p->out, data, sizeof data);
        if (n <= 0)
            continue;
        note_stops(p, data, n);
        const int tty = atomic_load(&p->tty);
        if (tty >= 0 && write(tty, data, (size_t)n) != n)
            fprintf(stderr, "usb-plotter: the firmware took nothing: %s\n", strerror(errno));
    }
    return NULL;
}

static void *to_host(void *user)
{
    struct plotter *p = user;
    uint8_t packet[PACKET];
    memcpy(packet, STATUS, STATUS_BYTES);
    for (;;) {
        const int tty = atomic_load(&p->tty);
        struct pollfd wait[2] = {{.fd = p->wake, .events = POLLIN}, {.fd = tty, .events = POLLIN}};
        if (poll(wait, 2, -1) < 0)
            continue;
        uint64_t count;
        if (wait[0].revents && read(p->wake, &count, sizeof count) < 0)
            continue;
        if (!wait[1].revents)
            continue;
        const ssize_t n = read(tty, packet + STATUS_BYTES, PACKET - STATUS_BYTES);
        if (n > 0) {
            const int r = usb_device_write(p->usb, p->in, packet, (size_t)n + STATUS_BYTES, false);
            if (r < 0)
                fprintf(stderr, "usb-plotter: %zd bytes did not reach the host: %s\n", n,
                        strerror(-r));
        } else if (n == 0 || errno == EIO)
            poll(NULL, 0, 20); // the firmware's side hangs: silence on the line
    }
    return NULL;
}

static void start(void *user, struct usb_device *usb)
{
    struct plotter *p = user;
    pthread_t receiver;
    p->in = usb_device_endpoint(usb, 0x81, PACKET);
    p->out = usb_device_endpoint(usb, 0x02, PACKET);
    if (pthread_create(&p->sender, NULL, to_host, p) ||
        pthread_create(&receiver, NULL, from_host, p))
        exit(1);
}

static void on_signal(int signo)
{
    (void)signo; // interrupts a transfer
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "Usage: usb-plotter BUS TTY [LOG [SERIAL]]\n");
        return 2;
    }
    struct plotter p = {.tty_path = argv[2], .tty = -1, .speed = B9600};
    const struct usb_device_model model = {
        .device = {.bLength = USB_DT_DEVICE_SIZE,
                   .bDescriptorType = USB_DT_DEVICE,
                   .bcdUSB = 0x0200,
                   .bMaxPacketSize0 = 8,
                   .idVendor = 0x0403,
                   .idProduct = 0x6001,
                   .bcdDevice = 0x0600,
                   .iManufacturer = 1,
                   .iProduct = 2,
                   .iSerialNumber = 3,
                   .bNumConfigurations = 1},
        .string = {"FTDI", "FT232R USB UART", argc > 4 ? argv[4] : "A50285BI"},
        .configuration = CONFIGURATION,
        .configuration_size = sizeof CONFIGURATION,
        .speed = USB_SPEED_FULL,
        .configured = start,
        .request = on_request,
        .user = &p,
    };
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_signal}, NULL);
    p.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    const bool logged = argc > 3 && argv[3][0];
    p.log = logged ? fopen(argv[3], "a") : NULL;
    if (p.wake < 0 || (logged && !p.log)) {
        perror("usb-plotter");
        return 1;
    }
    p.usb = usb_device_plug(&model, atoi(argv[1]));
    usb_device_run(p.usb);
}
