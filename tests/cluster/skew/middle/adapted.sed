# JobSet 0.10 has no gates.
/^featureGates:/{
  N
  /RestartJob/{
    N
    N
    d
  }
}
