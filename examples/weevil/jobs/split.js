// Divides so many samples into so many parts of nearly the same size.
function weevil_main(samples, parts) {
  var sizes = [];
  for (var i = 0; i < parts; ++i) {
    sizes.push(Math.floor((samples * (i + 1)) / parts) - Math.floor((samples * i) / parts));
  }
  return sizes;
}
