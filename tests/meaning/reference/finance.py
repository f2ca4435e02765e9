"""Interest, options and risk, from the textbook."""

import math

import numpy as np


def phi(z):
    return math.erfc(-z / math.sqrt(2)) / 2


def compound_value(principal, rate, years):
    return principal * math.exp(rate) ** years


def present_value(payment, rate, years):
    return payment * math.exp(-years * math.log1p(rate))


def discount_factor_of(rate, years):
    return 1 / math.exp(rate * years)


def forward_price(spot, rate, payout, years):
    return spot * math.exp(rate * years) / math.exp(payout * years)


def log_return(now, last):
    return math.log(now) - math.log(last)


def call_payoff(s, k):
    return s - k if s > k else 0.0


def put_payoff(s, k):
    return k - s if k > s else 0.0


def knock_out_payoff(s, k, top):
    return call_payoff(s, k) if s < top else 0.0


def black_scholes_d1(s, k, rate, vol, years):
    forward = s * math.exp(rate * years)
    total = vol * math.sqrt(years)
    return math.log(forward / k) / total + total / 2


def black_scholes_call(s, k, rate, vol, years):
    # the discounted mean payoff under Black's forward formula
    d1 = black_scholes_d1(s, k, rate, vol, years)
    d2 = d1 - vol * math.sqrt(years)
    return math.exp(-rate * years) * (s * math.exp(rate * years) * phi(d1) - k * phi(d2))


def black_scholes_put(s, k, rate, vol, years):
    # put-call parity
    return black_scholes_call(s, k, rate, vol, years) - s + k * math.exp(-rate * years)


def call_delta(d1):
    return phi(d1)


def option_vega(s, d1, years):
    return s * math.exp(-(d1**2) / 2) / math.sqrt(2 * math.pi) * math.sqrt(years)


option_vega.tolerance = 1e-6


def brownian_price(s, drift, vol, dt, noise):
    return math.exp(math.log(s) + drift * dt - vol**2 / 2 * dt + vol * dt**0.5 * noise)


def vasicek_step(r, speed, level, vol, dt, noise):
    return (1 - speed * dt) * r + speed * level * dt + vol * math.sqrt(dt) * noise


def vasicek_duration(speed, years):
    return -math.expm1(-speed * years) / speed


def loan_instalment(loan, rate, years):
    growth = (1 + rate) ** years
    return loan * rate * growth / (growth - 1)


def sharpe_ratio(gain, free, vol):
    return gain / vol - free / vol


def capital_asset_return(free, beta, market):
    return (1 - beta) * free + beta * market


def pair_volatility(w, va, vb, rho):
    weights, cov = np.array([w, 1 - w]), np.array([[va**2, rho * va * vb], [rho * va * vb, vb**2]])
    return math.sqrt(weights @ cov @ weights)


def drawdown_of(now, peak):
    return (peak - now) / peak if now < peak else 0.0


def kelly_share(p, odds):
    return max((p * (odds + 1) - 1) / odds, 0)


def garch_variance(v, r, omega, alpha, beta):
    return np.dot([1, r**2, v], [omega, alpha, beta])


def at_the_money_volatility(premium, s, years):
    return premium / (s * math.sqrt(years / (2 * math.pi)))


def bracket_tax(income, edge, low, high):
    return low * min(income, edge) + high * max(income - edge, 0)
