/** The network's limits of templates and of their values (docs/networks.md). */

export const TEMPLATE_NAME_MAX_CHARS = 512;
export const TEMPLATE_VALUE_MAX_CHARS = 1024;
/** With its variables filled, as the network counts. */
export const TEMPLATE_BODY_MAX_CHARS = 1024;
export const TEMPLATE_HEADER_MAX_CHARS = 60;
/** Of a value at the end of a button's URL. */
export const TEMPLATE_URL_VALUE_MAX_CHARS = 2000;
/** Of a code that a button copies. */
export const TEMPLATE_CODE_MAX_CHARS = 15;
/** Of a one-time password in the body of an authentication template. */
export const ONE_TIME_CODE_MAX_CHARS = 15;
/** Variables of one template's body. */
export const TEMPLATE_VALUES_MAX = 100;
