"""Distributions, estimates and tests."""


@law("statistics", "a value as a number of standard deviations from the mean")
def standard_score(x: value, mu: mean, sigma: standard_deviation) -> zscore:
    return (x - mu) / sigma


@law("statistics", "the variance from the mean of the squares, not below zero")
def variance_from_moments(mean_square: mean_square, mu: mean) -> variance:
    return wp.max(mean_square - mu * mu, 0.0)


@law("statistics", "the standard deviation of a variance")
def deviation_of(v: variance) -> standard_deviation:
    return wp.sqrt(v)


@law("statistics", "the density of the normal distribution")
def normal_density(x: value, mu: mean, sigma: standard_deviation) -> probability_density:
    z = (x - mu) / sigma
    return wp.exp(-0.5 * z * z) / (sigma * wp.sqrt(2.0 * wp.pi))


@law("statistics", "the logarithm of the density of the normal distribution")
def normal_log_density(x: value, mu: mean, sigma: standard_deviation) -> log_likelihood:
    z = (x - mu) / sigma
    return -0.5 * z * z - wp.log(sigma) - 0.9189385


@law("statistics", "the share of the normal distribution below a score")
def normal_share_below(z: zscore) -> probability:
    return 0.5 * (1.0 + wp.erf(z / wp.sqrt(2.0)))


@law("statistics", "the share of the logistic distribution below a value")
def logistic_share_below(x: value, mu: mean, s: standard_deviation) -> probability:
    return 1.0 / (1.0 + wp.exp(-(x - mu) / s))


@law("statistics", "the density of the exponential distribution")
def exponential_density(x: waiting_time, rate: event_rate) -> probability_density:
    return rate * wp.exp(-rate * x)


@law("statistics", "the density of the Laplace distribution")
def laplace_density(x: value, mu: mean, b: standard_deviation) -> probability_density:
    return wp.exp(-wp.abs(x - mu) / b) / (2.0 * b)


@law("statistics", "the density of the Cauchy distribution")
def cauchy_density(x: value, mu: mean, gamma: standard_deviation) -> probability_density:
    z = (x - mu) / gamma
    return 1.0 / (wp.pi * gamma * (1.0 + z * z))


@law("statistics", "the density of the Weibull distribution")
def weibull_density(x: waiting_time, lam: weibull_scale, k: weibull_shape) -> probability_density:
    s = x / lam
    return k / lam * wp.pow(s, k - 1.0) * wp.exp(-wp.pow(s, k))


@law("statistics", "the chance to outlast a time by Weibull")
def weibull_survival(x: waiting_time, lam: weibull_scale, k: weibull_shape) -> probability:
    return wp.exp(-wp.pow(x / lam, k))


@law("statistics", "the chance of a number of events by Poisson")
def poisson_probability(k: event_count, lam: event_rate) -> probability:
    p = wp.exp(-lam)
    for i in range(k):
        p = p * lam / float(i + 1)
    return p


@law("statistics", "the chance of a number of hits among trials")
def binomial_probability(k: hit_count, n: trial_count, p: probability) -> probability:
    result = float(1.0)
    for i in range(k):
        result = result * p * float(n - i) / float(i + 1)
    for j in range(n - k):
        result = result * (1.0 - p)
    return result


@law("statistics", "the probability after evidence by Bayes")
def bayes_update(prior: probability, hit: probability, false_alarm: probability) -> probability:
    evidence = prior * hit + (1.0 - prior) * false_alarm
    return prior * hit / evidence


@law("statistics", "the mean after one more value")
def running_mean(mu: mean, x: value, n: sample_count) -> mean:
    return mu + (x - mu) / float(n)


@law("statistics", "the exponentially weighted mean after one more value")
def exponential_mean(mu: mean, x: value, alpha: smoothing_alpha) -> mean:
    return (1.0 - alpha) * mu + alpha * x


@law("statistics", "the standard error of a mean")
def standard_error(sigma: standard_deviation, n: sample_count) -> standard_deviation:
    return sigma / wp.sqrt(float(n))


@law("statistics", "Welch's test statistic of two means")
def welch_statistic(ma: mean, mb: mean, va: variance, vb: variance, na: sample_count, nb: sample_count) -> zscore:
    return (ma - mb) / wp.sqrt(va / float(na) + vb / float(nb))


@law("statistics", "the variance of two groups taken together")
def pooled_variance(va: variance, vb: variance, na: sample_count, nb: sample_count) -> variance:
    fa = float(na - 1)
    fb = float(nb - 1)
    return (fa * va + fb * vb) / (fa + fb)


@law("statistics", "the estimate of a value after a measurement, by Kalman")
def kalman_estimate(x: state_estimate, p: state_variance, z: measurement, r: measurement_variance) -> state_estimate:
    k = p / (p + r)
    return x + k * (z - x)


@law("statistics", "the variance of an estimate after a measurement, by Kalman")
def kalman_variance(p: state_variance, r: measurement_variance) -> state_variance:
    k = p / (p + r)
    return (1.0 - k) * p


@law("statistics", "the mean of two estimates weighted by their certainty")
def fuse_estimates(a: state_estimate, va: state_variance, b: measurement, vb: measurement_variance) -> state_estimate:
    wa = 1.0 / va
    wb = 1.0 / vb
    return (wa * a + wb * b) / (wa + wb)


@law("statistics", "a robust weight by Huber")
def huber_weight(r: error_value, k: robust_scale) -> robust_weight:
    a = wp.abs(r)
    if a <= k:
        return 1.0
    return k / a


@law("statistics", "a robust weight by Tukey")
def tukey_weight(r: error_value, c: robust_scale) -> robust_weight:
    u = r / c
    if wp.abs(u) >= 1.0:
        return 0.0
    s = 1.0 - u * u
    return s * s


@law("statistics", "a robust weight by Cauchy")
def cauchy_weight(r: error_value, c: robust_scale) -> robust_weight:
    u = r / c
    return 1.0 / (1.0 + u * u)


@law("statistics", "a robust weight by Geman and McClure")
def geman_mcclure_weight(r: error_value, c: robust_scale) -> robust_weight:
    c2 = c * c
    s = c2 / (c2 + r * r)
    return s * s


@law("statistics", "the difference of an observation and a model")
def residual_of(z: measurement, x: state_estimate) -> error_value:
    return z - x


@law("statistics", "the squared Mahalanobis distance in the plane")
def mahalanobis_squared(d: vector2, sxx: moment_xx, syy: moment_yy, sxy: moment_xy) -> squared_distance:
    det = sxx * syy - sxy * sxy
    return (syy * d[0] * d[0] - 2.0 * sxy * d[0] * d[1] + sxx * d[1] * d[1]) / det


@law("statistics", "the weight of a neighbour in a kernel density estimate by Epanechnikov")
def epanechnikov_weight(d: sample_distance, h: bandwidth) -> kernel_weight:
    u = d / h
    if wp.abs(u) >= 1.0:
        return 0.0
    return 0.75 * (1.0 - u * u) / h


@law("statistics", "the weight of a neighbour in a kernel density estimate by a Gaussian")
def gaussian_kernel_weight(d: sample_distance, h: bandwidth) -> kernel_weight:
    u = d / h
    return 0.3989423 * wp.exp(-0.5 * u * u) / h


@law("statistics", "the weight of a neighbour by the tricube kernel")
def tricube_weight(d: sample_distance, h: bandwidth) -> kernel_weight:
    u = wp.abs(d) / h
    if u >= 1.0:
        return 0.0
    s = 1.0 - u * u * u
    return 70.0 / 81.0 * s * s * s / h


@law("statistics", "a normal random number from two even ones, by Box and Muller")
def box_muller(u: unit_sample, v: unit_sample) -> gaussian_noise:
    return wp.sqrt(-2.0 * wp.log(u)) * wp.cos(2.0 * wp.pi * v)


@law("statistics", "an exponential random number from an even one")
def exponential_from_uniform(u: unit_sample, rate: event_rate) -> waiting_time:
    return -wp.log(1.0 - u) / rate


@law("statistics", "the score of a class from hits, false alarms and misses", needs=(2 * hits + extra + missed > 0,))
def f1_score(hits: hit_count, extra: false_count, missed: miss_count) -> f_score:
    top = 2.0 * float(hits)
    return top / (top + float(extra) + float(missed))


@law("statistics", "the lower end of Wilson's interval for a share, at ninety-five per cent")
def wilson_lower_bound(p: probability, n: trial_count) -> probability:
    z = 1.96
    count = float(n)
    z2 = z * z / count
    center = p + 0.5 * z2
    spread = z * wp.sqrt(p * (1.0 - p) / count + 0.25 * z2 / count)
    return (center - spread) / (1.0 + z2)
