// Search, one choice of language for all examples, copying, and the reader's place in the contents.
// The page is whole without it, and it keeps nothing in the browser.

/**
 * @param {string} selector
 * @returns {HTMLElement[]}
 */
const all = (selector) => [...document.querySelectorAll(selector)].filter(isElement);

/**
 * @param {Element} each
 * @returns {each is HTMLElement}
 */
function isElement(each) {
  return each instanceof HTMLElement;
}

/** Without case and accents. @param {string | null} text */
const plain = (text) => (text ?? '').normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

const sections = all('.resource');
/** The parts that are found or not: operations, events, records, and sections without those. */
const parts = sections.flatMap((section) => {
  const articles = [...section.querySelectorAll('article')];
  return articles.length === 0 ? [section] : articles;
});
const texts = new Map(parts.map((part) => [part, plain(part.textContent)]));
const links = all('.side nav a');

/** @param {HTMLElement} link */
const targetOf = (link) => document.getElementById(link.getAttribute('href')?.slice(1) ?? '');

/** @param {string} query */
function show(query) {
  const words = plain(query).split(/\s+/).filter(Boolean);
  for (const part of parts) {
    const text = texts.get(part) ?? '';
    part.classList.toggle('unmatched', !words.every((word) => text.includes(word)));
  }
  for (const section of sections) {
    const own = parts.filter((part) => section.contains(part));
    section.classList.toggle(
      'unmatched',
      own.every((part) => part.classList.contains('unmatched')),
    );
  }
  for (const link of links) {
    const hidden = targetOf(link)?.closest('.unmatched') !== null;
    link.classList.toggle('unmatched', hidden);
  }
  tell(words.length === 0 ? null : parts.filter((part) => !part.matches('.unmatched')).length);
}

/** @param {number | null} count null: nothing is searched */
function tell(count) {
  const status = document.querySelector('#achados');
  if (!status) return;
  if (count === null) status.textContent = '';
  else if (count === 0) status.textContent = 'Nada encontrado. Procure por menos palavras.';
  else status.textContent = count === 1 ? '1 resultado' : `${count} resultados`;
}

function startSearch() {
  const input = document.querySelector('#busca');
  const box = document.querySelector('.search');
  if (!(input instanceof HTMLInputElement && box instanceof HTMLElement)) return;
  box.hidden = false;
  const search = () => {
    show(input.value);
    scrollTo(0, 0);
  };
  const clear = () => {
    input.value = '';
    show('');
  };
  input.addEventListener('input', search);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') clear();
    if (event.key !== 'Enter') return;
    const [first] = parts.filter((part) => !part.matches('.unmatched'));
    const heading = first?.querySelector('h2, h3');
    if (input.value !== '' && heading) location.hash = heading.id;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || document.activeElement instanceof HTMLInputElement) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  // A link may lead to a part that the search has put away.
  document.addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest('a[href^="#"]') : null;
    if (link instanceof HTMLElement && targetOf(link)?.closest('.unmatched')) clear();
  });
}

/** A language that is chosen once is shown in every example that has it. */
function startLanguages() {
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement && target.matches('.pick'))) return;
    const before = target.getBoundingClientRect().top;
    for (const pick of document.querySelectorAll(`.pick[value="${target.value}"]`)) {
      if (pick instanceof HTMLInputElement) pick.checked = true;
    }
    // Examples above may have grown or shrunk.
    scrollBy(0, target.getBoundingClientRect().top - before);
  });
}

function startCopying() {
  // Browsers offer it to pages over https, and to those of the machine itself.
  if (!navigator.clipboard) return;
  for (const tabs of all('.tabs')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button quiet copy';
    button.textContent = 'Copiar';
    button.addEventListener('click', async () => {
      const shown = [...tabs.querySelectorAll('pre')].find((pre) => pre.offsetParent !== null);
      await navigator.clipboard.writeText(shown?.textContent ?? '');
      button.textContent = 'Copiado';
    });
    for (const left of ['blur', 'pointerleave']) {
      button.addEventListener(left, () => {
        button.textContent = 'Copiar';
      });
    }
    tabs.querySelector('pre')?.before(button);
  }
}

/** Moves the list of contents alone, never the page. @param {HTMLElement} link */
function bringIntoSide(link) {
  const side = document.querySelector('.side');
  if (!side) return;
  const [box, own] = [side.getBoundingClientRect(), link.getBoundingClientRect()];
  if (own.top >= box.top && own.bottom <= box.bottom) return;
  side.scrollTop += own.top - box.top - box.height / 2;
}

/** Below the bar, where a link leads, pixels. */
const TOP = 80;

/** The link of the heading that was passed last is the current one. */
function startPlace() {
  const headings = links.flatMap((link) => {
    const heading = targetOf(link);
    return heading ? [{ link, heading }] : [];
  });
  let waits = false;
  const mark = () => {
    waits = false;
    const passed = headings.filter(
      ({ heading }) => heading.offsetParent && heading.getBoundingClientRect().top < TOP,
    );
    const current = passed.at(-1)?.link;
    if (current?.hasAttribute('aria-current')) return;
    for (const link of links) link.removeAttribute('aria-current');
    current?.setAttribute('aria-current', 'location');
    if (current) bringIntoSide(current);
  };
  const follow = () => {
    if (!waits) requestAnimationFrame(mark);
    waits = true;
  };
  addEventListener('scroll', follow, { passive: true });
  follow();
}

startSearch();
startLanguages();
startCopying();
startPlace();
