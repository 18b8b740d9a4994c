// Before anything is drawn: the remembered theme and size, else what the system asks for.
(() => {
  const root = document.documentElement;
  const remembered = (name) => { try { return localStorage.getItem(`viewer.${name}`); } catch { return null; } };
  const system = () => matchMedia("(prefers-contrast: more)").matches ? "contrast" : matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  root.dataset.theme = remembered("theme") || system();
  root.dataset.script = "";
  const size = Number(remembered("size"));
  if (size >= 0.7 && size <= 2.5) root.style.setProperty("--size", size);
  for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"]) {
    matchMedia(query).addEventListener("change", () => { if (!remembered("theme")) { root.dataset.theme = system(); document.dispatchEvent(new Event("theme")); } });
  }
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-theme-next]")) return;
    const order = ["light", "dark", "contrast"];
    root.dataset.theme = order[(order.indexOf(root.dataset.theme) + 1) % order.length];
    document.dispatchEvent(new Event("theme"));
    try { localStorage.setItem("viewer.theme", root.dataset.theme); } catch { /* private window: lasts as long as the page */ }
  });
})();
