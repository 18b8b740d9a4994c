// On the index: addresses of the original viewer, `?trace=NAME&step=N`, lead to the lecture.

const query = new URLSearchParams(location.search);
const trace = query.get("trace");
if (trace) {
  const name = trace.split("/").at(-1).replace(/\.json$/, "");
  query.delete("trace");
  const link = [...document.querySelectorAll("[data-lecture]")].find((each) => each.dataset.lecture === name);
  if (link) location.replace(`${link.getAttribute("href")}${query.size ? `?${query}` : ""}`);
}
