// Before anything is drawn: the remembered theme and size, else what the system asks for.
(() => {
  const root = document.documentElement;
  const remembered = (name) => { try { return localStorage.getItem(`viewer.${name}`); } catch { return null; } };
  const system = () => matchMedia("(prefers-contrast: more)").matches ? "contrast" : matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const show = (theme) => {
    root.dataset.theme = theme;
    for (const name of document.querySelectorAll("[data-theme-name]")) name.textContent = theme === "contrast" ? "high contrast" : theme;
    document.dispatchEvent(new Event("theme"));
  };
  show(remembered("theme") || system());
  document.addEventListener("DOMContentLoaded", () => show(root.dataset.theme));
  root.dataset.script = "";
  const size = Number(remembered("size"));
  if (size >= 0.7 && size <= 2.5) root.style.setProperty("--size", size);
  for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"]) {
    matchMedia(query).addEventListener("change", () => { if (!remembered("theme")) show(system()); });
  }
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-theme-next]")) return;
    const order = ["light", "dark", "contrast"];
    show(order[(order.indexOf(root.dataset.theme) + 1) % order.length]);
    try { localStorage.setItem("viewer.theme", root.dataset.theme); } catch { /* private window: lasts as long as the page */ }
  });
})();
