/* A flame graph alone. */
heading(data.command || "", data.title);
document.getElementById("main").append(element("h1", null, name(data.title)));
for (const note of data.notes || []) document.getElementById("main").append(element("p", { class: "notice" }, name(note)));
const flameMade = flameGraph(data.flames, { id: "flame", modeWords: data.words });
section("flame", "Flame graph", "Frames from the outermost to the innermost. Click to zoom." + (data.flames[0].difference ? " A frame is as wide as the larger of both sides: what is on one side only is hatched." : ""), flameMade);
contents();
