/** Limits of interactive messages, by the network's documentation (docs/networks.md). */
export const INTERACTIVE = {
  TEXT_MAX_CHARS: 1024,
  LIST_TEXT_MAX_CHARS: 4096,
  HEADER_MAX_CHARS: 60,
  FOOTER_MAX_CHARS: 60,
  BUTTONS_MAX: 3,
  BUTTON_ID_MAX_CHARS: 256,
  BUTTON_TITLE_MAX_CHARS: 20,
  ROWS_MAX: 10,
  ROW_ID_MAX_CHARS: 200,
  ROW_TITLE_MAX_CHARS: 24,
  ROW_DESCRIPTION_MAX_CHARS: 72,
} as const;
