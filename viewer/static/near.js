// What is drawn only when it comes near the window.

const works = [];
const near = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    for (const [selector, work] of works) if (target.matches(selector)) work(target);
  }
}, { rootMargin: "300px" });

/** Call `work` once for each node that matches `selector`, when it comes near. */
export function whenNear(selector, work) {
  works.push([selector, work]);
  watch(document);
}

/** Watch what has joined the page under `root`. */
export function watch(root) {
  for (const [selector] of works) for (const node of root.querySelectorAll(selector)) near.observe(node);
}
