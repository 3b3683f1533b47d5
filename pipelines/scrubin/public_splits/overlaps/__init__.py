"""Operations that several public datasets show: training on one and testing on the other leaks."""
