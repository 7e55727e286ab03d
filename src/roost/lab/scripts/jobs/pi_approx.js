// WEB figure 4.3: random points in the unit square, and how many of them lie inside the circle. The document counts four
// floating point operations a point, and none for the two random numbers.
function weevil_main(points) {
  let operations = 0;
  let inside = 0;
  for (let point = 0; point < points; ++point) {
    const x = Math.random();
    const y = Math.random();
    if (x * x + y * y <= 1) ++inside;
    operations += 4;
  }
  return { operations, value: inside };
}
