from . import advect, project
from .factory import make_scale

scale_double = make_scale(2.0)
