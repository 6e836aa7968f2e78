// rng: random numbers that come out the same on every machine, from a printed seed.
//
// xorshift64* (S. Vigna, "An experimental exploration of Marsaglia's xorshift generators,
// scrambled", 2016), state filled from the seed by one step of splitmix64 so that seeds 1, 2, 3 …
// give unrelated streams. For simulation, tests and search; never for secrets.
#pragma once

#include <stdint.h>

struct rng {
    uint64_t state; // never 0
};

// Any seed is fine, 0 too.
void rng_seed(struct rng *rng, uint64_t seed);

// 64 random bits.
uint64_t rng_next(struct rng *rng);

// Uniform in 0 … bound-1, without bias. bound > 0.
uint32_t rng_below(struct rng *rng, uint32_t bound);

// Uniform in [0, 1), a multiple of 2^-53.
double rng_double(struct rng *rng);

// Uniform in [low, high).
double rng_range(struct rng *rng, double low, double high);

// Normal, mean 0, deviation 1. Made from counted bits, with no logarithm, whose last bit differs
// from one C library to the next; so the tails end at about ±8 and the excess kurtosis is -0.03.
double rng_gaussian(struct rng *rng);
