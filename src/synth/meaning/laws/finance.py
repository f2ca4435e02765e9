"""Interest, options and risk."""


@law("finance", "the price after compound growth")
def compound_value(principal: price, rate: interest_rate, years: maturity) -> price:
    return principal * wp.exp(rate * years)


@law("finance", "a later payment's worth today, with yearly compounding")
def present_value(payment: price, rate: interest_rate, years: maturity) -> price:
    return payment / wp.pow(1.0 + rate, years)


@law("finance", "the factor that discounts a later payment")
def discount_factor_of(rate: interest_rate, years: maturity) -> discount_factor:
    return wp.exp(-rate * years)


@law("finance", "the forward price of an asset that pays a yield")
def forward_price(spot: price, rate: interest_rate, payout: dividend_yield, years: maturity) -> price:
    return spot * wp.exp((rate - payout) * years)


@law("finance", "the logarithmic return of two prices")
def log_return(now: price, last: price) -> asset_return:
    return wp.log(now / last)


@law("finance", "the payoff of a call")
def call_payoff(s: price, k: strike) -> payoff:
    return wp.max(s - k, 0.0)


@law("finance", "the payoff of a put")
def put_payoff(s: price, k: strike) -> payoff:
    return wp.max(k - s, 0.0)


@law("finance", "the payoff of a call that only counts below a barrier")
def knock_out_payoff(s: price, k: strike, top: barrier_level) -> payoff:
    if s >= top:
        return 0.0
    return wp.max(s - k, 0.0)


@law("finance", "the first argument of Black and Scholes")
def black_scholes_d1(s: price, k: strike, rate: interest_rate, vol: volatility, years: maturity) -> moneyness:
    spread = vol * wp.sqrt(years)
    return (wp.log(s / k) + (rate + 0.5 * vol * vol) * years) / spread


@law("finance", "the price of a European call by Black and Scholes")
def black_scholes_call(s: price, k: strike, rate: interest_rate, vol: volatility, years: maturity) -> option_value:
    spread = vol * wp.sqrt(years)
    d1 = (wp.log(s / k) + (rate + 0.5 * vol * vol) * years) / spread
    d2 = d1 - spread
    root2 = wp.sqrt(2.0)
    n1 = 0.5 * (1.0 + wp.erf(d1 / root2))
    n2 = 0.5 * (1.0 + wp.erf(d2 / root2))
    return s * n1 - k * wp.exp(-rate * years) * n2


@law("finance", "the price of a European put by Black and Scholes")
def black_scholes_put(s: price, k: strike, rate: interest_rate, vol: volatility, years: maturity) -> option_value:
    spread = vol * wp.sqrt(years)
    d1 = (wp.log(s / k) + (rate + 0.5 * vol * vol) * years) / spread
    d2 = d1 - spread
    n1 = 0.5 * wp.erfc(d1 / wp.sqrt(2.0))
    n2 = 0.5 * wp.erfc(d2 / wp.sqrt(2.0))
    return k * wp.exp(-rate * years) * n2 - s * n1


@law("finance", "how a call's price moves with the asset, its delta")
def call_delta(d1: moneyness) -> hedge_ratio:
    return 0.5 * (1.0 + wp.erf(d1 / wp.sqrt(2.0)))


@law("finance", "how a price moves with volatility, its vega")
def option_vega(s: price, d1: moneyness, years: maturity) -> sensitivity:
    return s * 0.3989423 * wp.exp(-0.5 * d1 * d1) * wp.sqrt(years)


@law("finance", "a price path's next step under geometric Brownian motion")
def brownian_price(s: price, drift: interest_rate, vol: volatility, dt: time_step, noise: gaussian_noise) -> price:
    return s * wp.exp((drift - 0.5 * vol * vol) * dt + vol * wp.sqrt(dt) * noise)


@law("finance", "a rate's next step that returns to its mean, by Vasicek")
def vasicek_step(r: interest_rate, speed: reversion_speed, level: interest_rate, vol: rate_volatility, dt: time_step, noise: gaussian_noise) -> interest_rate:
    return r + speed * (level - r) * dt + vol * wp.sqrt(dt) * noise


@law("finance", "the price of a bond by Vasicek's duration factor")
def vasicek_duration(speed: reversion_speed, years: maturity) -> duration:
    return (1.0 - wp.exp(-speed * years)) / speed


@law("finance", "the yearly instalment that repays a loan", needs=(years > 0.5,))
def loan_instalment(loan: price, rate: interest_rate, years: maturity) -> price:
    return loan * rate / (1.0 - wp.pow(1.0 + rate, -years))


@law("finance", "the reward of an asset for its risk, by Sharpe")
def sharpe_ratio(gain: asset_return, free: interest_rate, vol: volatility) -> risk_ratio:
    return (gain - free) / vol


@law("finance", "the expected return of an asset by its market exposure")
def capital_asset_return(free: interest_rate, beta: market_beta, market: market_return) -> asset_return:
    return free + beta * (market - free)


@law("finance", "the risk of two assets together")
def pair_volatility(w: ratio, va: volatility, vb: volatility, rho: correlation) -> volatility:
    a = w * va
    b = (1.0 - w) * vb
    return wp.sqrt(wp.max(a * a + b * b + 2.0 * rho * a * b, 0.0))


@law("finance", "how far a price is below its peak")
def drawdown_of(now: price, peak: price) -> drawdown:
    return wp.max(1.0 - now / peak, 0.0)


@law("finance", "the share of wealth to bet by Kelly, nothing on bad odds")
def kelly_share(p: probability, odds: payout_odds) -> ratio:
    return wp.max(p - (1.0 - p) / odds, 0.0)


@law("finance", "the variance of returns after a day, by GARCH")
def garch_variance(v: variance, r: asset_return, omega: base_variance, alpha: shock_weight, beta: persistence) -> variance:
    return omega + alpha * r * r + beta * v


@law("finance", "the implied volatility of a call at the money by Brenner and Subrahmanyam")
def at_the_money_volatility(premium: option_value, s: price, years: maturity) -> volatility:
    return premium / s * wp.sqrt(2.0 * wp.pi / years)


@law("finance", "a tax with two brackets")
def bracket_tax(income: income, edge: bracket_edge, low: low_tax_rate, high: high_tax_rate) -> tax:
    if income <= edge:
        return low * income
    return low * edge + high * (income - edge)
