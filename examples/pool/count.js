// Counts the words of one paragraph. The entry point gets what arrives, and returns a JSON value.
function weevil_main(paragraph) {
  const counts = {};
  for (const word of paragraph.toLowerCase().match(/[a-z]+/g) || []) {
    counts[word] = (counts[word] || 0) + 1;
  }
  return counts;
}
