"""Populations, nerves, plants and epidemics."""


@law("biology", "the growth of a population that its habitat limits")
def logistic_growth(n: population, r: growth_rate, k: carrying_capacity) -> population_rate:
    return r * n * (1.0 - n / k)


@law("biology", "the size of a limited population after a time")
def logistic_population(n0: population, r: growth_rate, k: carrying_capacity, t: time_value) -> population:
    spread = (k - n0) / n0
    return k / (1.0 + spread * wp.exp(-r * t))


@law("biology", "the growth of a population that dies out when it is too small")
def allee_growth(n: population, r: growth_rate, k: carrying_capacity, a: allee_threshold) -> population_rate:
    return r * n * (n / a - 1.0) * (1.0 - n / k)


@law("biology", "the size of a tumour after a time by Gompertz")
def gompertz_size(n0: population, k: carrying_capacity, r: growth_rate, t: time_value) -> population:
    return k * wp.exp(wp.log(n0 / k) * wp.exp(-r * t))


@law("biology", "the change of the prey by Lotka and Volterra")
def prey_change(prey: population, predators: predator_count, birth: growth_rate, capture: capture_rate) -> population_rate:
    return birth * prey - capture * prey * predators


@law("biology", "the change of the predators by Lotka and Volterra")
def predator_change(prey: population, predators: predator_count, gain: conversion_rate, death: death_rate) -> population_rate:
    return gain * prey * predators - death * predators


@law("biology", "how much a predator eats by Holling's second type")
def holling_response(prey: population, attack: capture_rate, handling: handling_time) -> intake_rate:
    return attack * prey / (1.0 + attack * handling * prey)


@law("biology", "the size of a population after a step, never below zero")
def advance_population(n: population, rate: population_rate, dt: time_step) -> population:
    return wp.max(n + rate * dt, 0.0)


@law("biology", "new infections in a mixed population")
def infection_rate(beta: transmission_rate, s: susceptible_count, i: infected_count, n: population_total) -> population_rate:
    return beta * s * i / n


@law("biology", "the mean number of people that one case infects")
def basic_reproduction_number(beta: transmission_rate, gamma: recovery_rate) -> reproduction_number:
    return beta / gamma


@law("biology", "the share that must be immune to stop an epidemic")
def herd_immunity_share(r0: reproduction_number) -> ratio:
    if r0 <= 1.0:
        return 0.0
    return 1.0 - 1.0 / r0


@law("biology", "the chance of an infection from a dose, by the exponential model")
def dose_response(dose: dose, k: infectivity) -> probability:
    return 1.0 - wp.exp(-k * dose)


@law("biology", "the opening rate of the potassium gate of Hodgkin and Huxley, per millisecond")
def potassium_opening_rate(v: membrane_voltage) -> gate_rate:
    x = v + 55.0
    if wp.abs(x) < 0.001:
        return 0.1
    return 0.01 * x / (1.0 - wp.exp(-0.1 * x))


@law("biology", "the closing rate of the potassium gate of Hodgkin and Huxley, per millisecond")
def potassium_closing_rate(v: membrane_voltage) -> gate_rate:
    return 0.125 * wp.exp(-0.0125 * (v + 65.0))


@law("biology", "how fast an ion gate opens")
def gate_change(gate: gate_state, opening: gate_rate, closing: gate_rate) -> gate_change_rate:
    return opening * (1.0 - gate) - closing * gate


@law("biology", "the current through a channel")
def channel_current(g: conductance, v: membrane_voltage, e: reversal_potential) -> ion_current:
    return g * (v - e)


@law("biology", "the conductance of the potassium channels, with the fourth power of their gate")
def potassium_conductance(g_max: conductance, n: gate_state) -> conductance:
    n2 = n * n
    return g_max * n2 * n2


@law("biology", "how fast the voltage of a leaky neuron changes")
def leaky_neuron_rate(v: membrane_voltage, rest: reversal_potential, drive: input_drive, tau: membrane_time) -> potential_rate:
    return (rest - v + drive) / tau


@law("biology", "the voltage after a step of the neuron")
def advance_membrane(v: membrane_voltage, rate: potential_rate, dt: time_step) -> membrane_voltage:
    return v + rate * dt


@law("biology", "the change of a synapse by the time between two spikes")
def spike_timing_plasticity(delay: spike_delay, up: potentiation, down: depression, tau: membrane_time) -> weight_change:
    if delay > 0.0:
        return up * wp.exp(-delay / tau)
    return -down * wp.exp(delay / tau)


@law("biology", "the voltage change of FitzHugh and Nagumo's neuron")
def fitzhugh_voltage_rate(v: excitation, w: recovery_variable, drive: input_current) -> excitation_rate:
    return v - v * v * v / 3.0 - w + drive


@law("biology", "the recovery of FitzHugh and Nagumo's neuron")
def fitzhugh_recovery_rate(v: excitation, w: recovery_variable, a: recovery_offset, b: recovery_gain, tau: recovery_time) -> excitation_rate:
    return (v + a - b * w) / tau


@law("biology", "the photosynthesis of a leaf that light saturates")
def light_response(light: photon_flux, alpha: quantum_yield, pmax: maximum_rate) -> assimilation:
    return pmax * (1.0 - wp.exp(-alpha * light / pmax))


@law("biology", "the light below a canopy")
def canopy_light(above: photon_flux, k: extinction, lai: leaf_area_index) -> photon_flux:
    return above * wp.exp(-k * lai)


@law("biology", "the growth of bacteria on a substrate by Monod")
def monod_growth(mu_max: growth_rate, s: concentration, ks: half_saturation) -> growth_rate:
    return mu_max * s / (ks + s)


@law("biology", "how an organism's metabolism scales with its mass, by Kleiber")
def kleiber_rate(b0: metabolic_constant, m: mass) -> metabolic_rate:
    return b0 * wp.pow(m, 0.75)


@law("biology", "the concentration of a drug after a dose by mouth")
def oral_drug_level(dose: dose, vol: distribution_volume, ka: absorption_rate, ke: elimination_rate, t: time_value) -> concentration:
    return dose * ka / (vol * (ka - ke)) * (wp.exp(-ke * t) - wp.exp(-ka * t))


@law("biology", "the share of a gene variant after one generation of selection")
def selection_step(p: allele_frequency, s: selection_coefficient) -> allele_frequency:
    return p * (1.0 + s) / (1.0 + s * p)


@law("biology", "the share of carriers of two different variants by Hardy and Weinberg")
def heterozygote_share(p: allele_frequency) -> ratio:
    return 2.0 * p * (1.0 - p)


@law("biology", "the growing degree days of a day")
def degree_day(t_max: day_maximum, t_min: day_minimum, base: base_temperature, cap: cap_temperature) -> degree_days:
    high = wp.min(t_max, cap)
    low = wp.max(t_min, base)
    return wp.max(0.5 * (high + low) - base, 0.0)


@law("biology", "the rate of change of the activator of Gray and Scott")
def gray_scott_activator(u: substrate_level, v: activator_level, feed: feed_rate, kill: kill_rate) -> activator_rate:
    return u * v * v - (feed + kill) * v


@law("biology", "the rate of change of the substrate of Gray and Scott")
def gray_scott_substrate(u: substrate_level, v: activator_level, feed: feed_rate) -> activator_rate:
    return feed * (1.0 - u) - u * v * v
