/** Every number of the contract (section 8) and of the design, once, with its unit in the name. */

export const PHONE_MIN_CHARS = 8;
export const PHONE_MAX_CHARS = 30;
export const CONTACT_NAME_MAX_CHARS = 120;
export const CONTACT_FIELD_VALUE_MAX_CHARS = 500;
export const WEBHOOK_FIELD_KEY_MAX_CHARS = 60;
export const CONTACT_FIELDS_MAX = 200;
export const TAGS_MAX_PER_REQUEST = 20;
export const TAG_MAX_CHARS = 40;
export const MESSAGE_TEXT_MAX_CHARS = 4096;
export const CAPTION_MAX_CHARS = 1024;
export const PAGE_DEFAULT = 1;
export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;

export const CALLS_PER_KEY = 120;
export const CALLS_PER_ORGANIZATION = 600;
export const RATE_WINDOW_MS = 60_000;
export const RATE_LIMIT_MAX_CALLS = 1_000_000_000;

export const BODY_MAX_BYTES = 1024 * 1024;
export const NETWORK_WEBHOOK_MAX_BYTES = 4 * 1024 * 1024;

export const KEY_MIN_CHARS = 24;
export const KEY_MAX_CHARS = 200;
export const KEY_PREFIX_CHARS = 12;

/** Ownership (design: Ownership). */
export const PARTITIONS = 64;
export const LEASE_MS = 3_000;
export const LEASE_RENEWAL_MS = 1_000;

/** Asking (design: The way of one message). */
export const ASK_DEADLINE_MS = 8_000;
export const ASK_REPEAT_MS = 500;

/** Event deliveries (contract section 6, decisions: Deliveries). */
export const DELIVERY_TIMEOUT_MS = 10_000;
export const DELIVERY_RETRIES = 6;
export const DELIVERY_JITTER_RATIO = 0.1;
export const DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION = 8;
export const DELIVERY_ANSWER_READ_MAX_BYTES = 64 * 1024;
export const DELIVERY_ANSWER_KEPT_MAX_BYTES = 2 * 1024;

/** Sending (design: Networks). */
export const QUEUED_MESSAGE_MAX_AGE_MS = 24 * 60 * 60 * 1000;
export const AMBIGUOUS_SEND_WAIT_MS = 12_000;
