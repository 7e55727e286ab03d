// Throws points into the unit square and counts those that lie inside the circle.
function weevil_main(size) {
  var inside = 0;
  for (var i = 0; i < size; ++i) {
    var x = Math.random();
    var y = Math.random();
    if (x * x + y * y <= 1) {
      ++inside;
    }
  }
  return { inside: inside, thrown: size };
}
