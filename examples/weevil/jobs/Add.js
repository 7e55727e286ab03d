function weevil_main(a, b) {
  return a + b;
}
