/* A flame graph alone. */
heading(data.command || "", data.title);
document.getElementById("main").append(element("h1", null, name(data.title)));
for (const note of data.notes || []) document.getElementById("main").append(element("p", { class: "notice" }, name(note)));
const flameMade = flameGraph(data.flames, { id: "flame", modeWords: data.words });
section("flame", data.flames[0].by.replace("-", " ") + (data.flames[0].difference ? ", difference" : ""), null, flameMade);
contents();
