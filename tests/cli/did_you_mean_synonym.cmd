weft lint kernels.py; weft compile kernels.py; weft extract -d gpu kernels.py; weft produce -n 1 -o /nowhere --splits 0.9,0.05; weft produce -n 1 -o /nowhere --splits 0.9,0.05,0.06
