weft synth -n 40 -s 3 --json --style random | grep -c '"plan"'; weft synth -n 40 -s 3 --json | grep -c '"plan"'; weft synth --style random --scene kalman
