"""Pitch, loudness, envelopes and rooms."""


@law("audio", "the frequency of a note on the tempered scale, with 69 at 440 hertz")
def note_frequency(note: midi_note) -> pitch_frequency:
    return 440.0 * wp.pow(2.0, (note - 69.0) / 12.0)


@law("audio", "the distance of two pitches in cents")
def pitch_cents(a: pitch_frequency, b: pitch_frequency) -> cents:
    return 1200.0 * wp.log2(b / a)


@law("audio", "a frequency on the mel scale")
def hertz_to_mel(f: pitch_frequency) -> mel_value:
    return 2595.0 * wp.log10(1.0 + f / 700.0)


@law("audio", "the frequency of a mel value")
def mel_to_hertz(m: mel_value) -> pitch_frequency:
    return 700.0 * (wp.pow(10.0, m / 2595.0) - 1.0)


@law("audio", "a frequency on the Bark scale by Traunmueller")
def hertz_to_bark(f: pitch_frequency) -> bark_value:
    return 26.81 * f / (1960.0 + f) - 0.53


@law("audio", "the factor of a level in decibels")
def decibels_to_gain(level: level_db) -> gain:
    return wp.pow(10.0, level / 20.0)


@law("audio", "the level of a gain in decibels")
def gain_to_decibels(g: gain) -> level_db:
    return 20.0 * wp.log10(g)


@law("audio", "the level above a threshold that a compressor takes away")
def compressor_reduction(level: level_db, threshold: threshold_db, ratio: compression) -> level_db:
    over = level - threshold
    if over <= 0.0:
        return 0.0
    return over * (1.0 / ratio - 1.0)


@law("audio", "the level of a compressor with a soft knee")
def soft_knee_level(level: level_db, threshold: threshold_db, ratio: compression, knee: knee_width) -> level_db:
    over = level - threshold
    if 2.0 * over < -knee:
        return level
    if 2.0 * over > knee:
        return threshold + over / ratio
    bend = over + 0.5 * knee
    return level + (1.0 / ratio - 1.0) * bend * bend / (2.0 * knee)


@law("audio", "the envelope of a note with attack, decay and sustain")
def note_envelope(t: time_value, attack: attack_time, decay: decay_time, sustain: sustain_level) -> envelope:
    if t < attack:
        return t / attack
    u = (t - attack) / decay
    if u < 1.0:
        return 1.0 + (sustain - 1.0) * u
    return sustain


@law("audio", "the factor per sample of an exponential decay by sixty decibels")
def decay_per_sample(tau: reverb_time, rate: sample_rate) -> gain:
    return wp.exp(-6.907755 / (tau * rate))


@law("audio", "the reverberation of a room by Sabine")
def sabine_reverberation(vol: room_volume, area: absorption_area) -> reverb_time:
    return 0.161 * vol / area


@law("audio", "the envelope after a sample, quick to rise and slow to fall")
def envelope_follower(x: signal, env: envelope, up: attack_alpha, down: release_alpha) -> envelope:
    level = wp.abs(x)
    if level > env:
        return env + up * (level - env)
    return env + down * (level - env)


@law("audio", "the gain of the left side at a constant-power pan")
def pan_left_gain(pan: ratio) -> gain:
    return wp.cos(0.5 * wp.pi * pan)


@law("audio", "a sample coded by the mu-law")
def mu_law_encode(x: unit_signal) -> unit_signal:
    return wp.sign(x) * wp.log(1.0 + 255.0 * wp.abs(x)) / wp.log(256.0)


@law("audio", "a sample decoded from the mu-law")
def mu_law_decode(y: unit_signal) -> unit_signal:
    return wp.sign(y) * (wp.pow(256.0, wp.abs(y)) - 1.0) / 255.0


@law("audio", "the sum of two sound levels of independent sources")
def add_sound_levels(a: level_db, b: level_db) -> level_db:
    total = wp.pow(10.0, 0.1 * a) + wp.pow(10.0, 0.1 * b)
    return 10.0 * wp.log10(total)


@law("audio", "a value between two samples at a fractional delay")
def delayed_sample(near: signal, far: signal, frac: ratio) -> signal:
    return near + frac * (far - near)


@law("audio", "the A-weighting of a frequency, as a factor before normalisation")
def a_weighting_factor(f: pitch_frequency) -> gain:
    f2 = f * f
    low = f2 + 424.36
    high = f2 + 148693636.0
    middle = (f2 + 11599.29) * (f2 + 544496.41)
    return 148693636.0 * f2 * f2 / (low * wp.sqrt(middle) * high)
