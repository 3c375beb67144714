/* A comparison: scenarios side by side. */
const comparison = data.comparison;
document.getElementById("main").append(element("h1", null, name(comparison.verdict || "")));
