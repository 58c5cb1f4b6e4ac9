// Starts Swagger UI. Calls go to the page's origin, whatever address the description names. The
// key stays in the memory of the page.

/**
 * @typedef {Record<string, unknown>} Props
 * @typedef {(props: Props) => unknown} Component
 * @typedef {{React: {createElement: (...given: unknown[]) => unknown}}} System
 * @typedef {{getComponent: (name: string, connected?: boolean) => Component}} Parts
 */

/** @type {(options: Props) => unknown} */
const startSwagger = Reflect.get(globalThis, 'SwaggerUIBundle');

/** @param {(props: Props) => Props} change */
const withProps =
  (change) =>
  (/** @type {Component} */ Own, /** @type {System} */ { React }) => {
    return (/** @type {Props} */ props) => React.createElement(Own, change(props));
  };

/** A link within a button, which keys cannot reach, becomes the text of the button. */
const withoutLink = (/** @type {Component} */ _, /** @type {System} */ { React }) => {
  return (/** @type {Props} */ { text }) => React.createElement('span', null, text);
};

/** The key, the filter and the operations: title and address are the page's. */
const layoutOf = (/** @type {System} */ { React: { createElement: draw } }) => {
  return (/** @type {Parts} */ { getComponent }) => {
    const [key, filter] = ['AuthorizeBtnContainer', 'FilterContainer'];
    return draw(
      'div',
      { className: 'swagger-ui' },
      draw(getComponent('SvgAssets')),
      draw(getComponent('errors', true)),
      draw('div', { className: 'schemes wrapper' }, draw(getComponent(key, true))),
      draw(getComponent(filter, true)),
      draw('div', { className: 'wrapper' }, draw(getComponent('operations', true))),
    );
  };
};

const changes = (/** @type {System} */ system) => ({
  components: { TryLayout: layoutOf(system) },
  wrapComponents: {
    // No browser remembers what is typed: it may be a key.
    Input: withProps((props) => ({ ...props, autoComplete: 'off', spellCheck: false })),
    TextArea: withProps((props) => ({ 'aria-label': 'Corpo da chamada', ...props })),
    // A label that differs from the word on the button hides it from those who speak to it.
    Button: withProps(({ 'aria-label': label, ...props }) =>
      typeof props.children === 'string' ? props : { ...props, 'aria-label': label },
    ),
    CloseIcon: withProps((props) => ({
      ...{ ...props, 'aria-hidden': undefined },
      ...{ role: 'img', 'aria-label': 'Fechar' },
    })),
    DeepLink: withoutLink,
  },
});

function followColours() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
}

async function start() {
  const answer = await fetch('files/triable');
  if (!answer.ok) throw new Error(`the description was answered with ${answer.status}`);
  const servers = [{ url: new URL('..', location.href).href.replace(/\/$/, '') }];
  startSwagger({
    domNode: document.querySelector('#try'),
    spec: { ...(await answer.json()), servers },
    plugins: [changes],
    layout: 'TryLayout',
    validatorUrl: null,
    persistAuthorization: false,
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    filter: true,
  });
}

followColours();
start().catch((fault) => {
  console.error(fault);
  const told = document.querySelector('#fault');
  if (told instanceof HTMLElement) told.hidden = false;
});
