/** Every number of the contract (C8) and of the engine, once, with its unit in the name. */

export const PHONE_MIN_CHARS = 8;
export const PHONE_MAX_CHARS = 30;
export const CONTACT_NAME_MAX_CHARS = 120;
export const CONTACT_FIELD_VALUE_MAX_CHARS = 500;
export const WEBHOOK_FIELD_KEY_MAX_CHARS = 60;
export const CONTACT_FIELDS_MAX = 200;
export const CONTACT_FIELD_KEY_MAX_CHARS = 200;
/** Changes of a contact's opt-in that are kept, the newest. */
export const OPT_IN_HISTORY_MAX = 50;
/** Aliases, merged contacts and former numbers of a contact, the newest of each (D141). */
export const CONTACT_IDS_MAX = 100;
/** Name, e-mail, tags and fields with their names together, in UTF-8 (D123). */
export const CONTACT_MAX_BYTES = 64 * 1024;
export const TAGS_MAX_PER_REQUEST = 20;
export const TAG_MAX_CHARS = 40;
/** Documents of their own (D125); a further one is refused with 422. */
export const TAGS_MAX_PER_ORGANIZATION = 100_000;
export const MESSAGE_TEXT_MAX_CHARS = 4096;
export const CAPTION_MAX_CHARS = 1024;
export const LOCATION_TEXT_MAX_CHARS = 1000;
/** Of advertisements, products and orders: a longer id or address is none, a longer text is cut. */
export const COMMERCE_ID_MAX_CHARS = 512;
export const COMMERCE_URL_MAX_CHARS = 2048;
export const AD_HEADLINE_MAX_CHARS = 256;
export const AD_BODY_MAX_CHARS = 1024;
export const ORDER_ITEMS_MAX = 100;
/** The smaller of two documented numbers (D279). */
export const CONTACT_CARDS_MAX = 5;
/** A `cloud` contact may be written to freely for so long after its last message (C2.3). */
export const WINDOW_MS = 24 * 60 * 60 * 1000;
/** Scheduled messages (D293). */
export const SCHEDULE_MAX_MS = 90 * 24 * 60 * 60 * 1000;
export const SCHEDULE_PAST_MAX_MS = 5_000;
/** After more than this, `ifLate` decides. */
export const SCHEDULE_LATE_MS = 60 * 60 * 1000;
export const SCHEDULED_MAX_PER_ORGANIZATION = 100_000;
/** Texts that attendants insert, documents of their own. */
export const QUICK_REPLIES_MAX_PER_ORGANIZATION = 200;
export const QUICK_REPLY_TITLE_MAX_CHARS = 80;
export const DEAL_TITLE_MAX_CHARS = 120;
export const DEAL_VALUE_MAX_CENTS = 100_000_000_000;
export const DEAL_LOST_REASON_MAX_CHARS = 80;
/** Of an organization (D440). */
export const PIPELINES_MAX = 20;
export const STAGES_MAX_PER_PIPELINE = 50;
/** Of a pipeline and of a stage. */
export const PIPELINE_NAME_MAX_CHARS = 60;
/** Of all stages of an organization: the oldest are forgotten (D441). */
export const FORMER_STAGE_NAMES_MAX = 2_000;
/** Removed stages whose deals have all followed, the newest. */
export const LEFT_STAGES_MAX = 1_000;
/** Changes of pipelines that a repeat is met of, the newest. */
export const PIPELINE_COMMANDS_MAX = 100;
export const TASK_TITLE_MAX_CHARS = 160;
export const TASK_NOTES_MAX_CHARS = 2000;
/** A list travels in parts of so many stored bytes, one document at least (D124). */
export const LIST_PART_BYTES = 256 * 1024;
/** The largest document that a page's query reads at once; a larger one is read with its part. */
export const LIST_ROW_MAX_BYTES = 8 * 1024;
/** Parts that a process renders at one moment. */
export const LIST_PARTS_AT_ONCE = 2;
/** Bodies in parts that a gateway writes at one moment, for each organization; others wait. */
export const STREAMS_PER_ORGANIZATION = 32;
/** No id has more; ours have some thirty. */
export const ID_MAX_CHARS = 200;
/** A longer path of an issue is cut: a caller's name may have a million characters. */
export const ISSUE_PATH_MAX_CHARS = 256;
export const PAGE_DEFAULT = 1;
export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;

export const CALLS_PER_KEY = 120;
export const CALLS_PER_ORGANIZATION = 600;
export const RATE_WINDOW_MS = 60_000;
export const RATE_LIMIT_MAX_CALLS = 1_000_000_000;

export const BODY_MAX_BYTES = 1024 * 1024;
export const NETWORK_WEBHOOK_MAX_BYTES = 4 * 1024 * 1024;
/** A longer body of a webhook is large: its copies are counted (D323). */
export const NETWORK_LARGE_BYTES = 64 * 1024;
/** Large bodies of one gateway on their way to owners. */
export const NETWORK_LARGE_AT_ONCE = 2;
/** Of these, of one organization: its owner's work keeps no other's webhooks. */
export const NETWORK_LARGE_PER_ORGANIZATION = 1;
/** A minute, of one address to one channel. */
export const NETWORK_UNVERIFIED_BYTES = 8 * 1024 * 1024;

/** Of `/mcp` (D258): a tool's result is held as a whole, and a longer one is refused with 422. */
export const TOOL_RESULT_MAX_BYTES = 1024 * 1024;
/** Objects and lists within the arguments; the API's own have two. */
export const TOOL_ARGUMENTS_MAX_DEPTH = 16;

export const KEY_MIN_CHARS = 24;
export const KEY_MAX_CHARS = 200;
export const KEY_PREFIX_CHARS = 12;
/** With revoked ones, of which a new key replaces the oldest that no file names. */
export const KEYS_MAX_PER_ORGANIZATION = 1_000;
/** That commands make; files are bounded by their bytes. */
export const SUBSCRIPTIONS_MAX_PER_ORGANIZATION = 200;

/** Ownership (I23). */
export const PARTITIONS = 1_024;
/** Groups of partitions of one kind by which documents are found (D351). */
export const SHELVES = 64;
export const LEASE_MS = 3_000;
export const LEASE_RENEWAL_MS = 1_000;
/**
 * Alone and with nothing to do: a renewal may then be a second late, and no caller waits for it.
 */
export const LEASE_RENEWAL_IDLE_MS = 1_500;

/** Asking (I26). */
export const ASK_DEADLINE_MS = 8_000;
export const ASK_REPEAT_MS = 500;

/** Of a query's first process, before a second one is asked (D343). */
export const HEDGE_AFTER_MS = 50;

/** Shedding load (D78). Shorter than `ASK_REPEAT_MS`. */
export const SHED_WAIT_MS = 400;
/** Of one gateway. */
export const OPEN_ASKS_ALWAYS = 768;
export const OPEN_ASKS_MAX = 16_384;

/** Idempotency-Key (D29). */
export const IDEMPOTENCY_KEY_MAX_CHARS = 255;
export const IDEMPOTENCY_RETENTION_MS = 24 * 60 * 60 * 1000;
/** A longer call counts as lost with its gateway (an ask lasts 8 s at most). */
export const IDEMPOTENCY_CLAIM_MS = 10_000;
/** One that may have to download a file first. */
export const IDEMPOTENCY_CLAIM_WITH_MEDIA_MS = 60_000;

/** Committed commands of one entity (D132). Ids in its document; older ones are records. */
export const COMPLETED_COMMANDS_MAX = 200;
/** A plain command is repeated until `ASK_DEADLINE_MS`. */
export const PLAIN_COMMAND_RETENTION_MS = 30_000;
/** A keyed call that begins in its last moment ends a minute later, by another clock. */
export const LASTING_COMMAND_RETENTION_MS = IDEMPOTENCY_RETENTION_MS + 10 * 60 * 1000;
/** Of the operator to one organization, the newest (D494). */
export const OPERATOR_COMMANDS_MAX = 100;
/** Answers with their bodies; of large ones fewer, but always the newest. */
export const RETAINED_ANSWERS_MAX = 20;
export const RETAINED_ANSWERS_MAX_CHARS = 128 * 1024;

/** Outbox items of one contact, deal or task (D137). Beyond them a change gets 500 `overloaded`. */
export const OUTBOX_MAX = 200;
/** Of a process: events on their way to organizations; turns of conversations wait beyond it. */
export const RELAYED_EVENTS_MAX = 20_000;

/** How long a member's answer pauses automation (D11). */
export const MEMBER_ANSWER_PAUSE_MS = 30 * 60 * 1000;
export const AUTOMATION_PAUSE_MAX_MS = 365 * 24 * 60 * 60 * 1000;
/** That one call of the API names. */
export const PARTICIPANTS_MAX_PER_REQUEST = 50;

/** Event deliveries (C6, D37, D39). */
export const DELIVERY_TIMEOUT_MS = 10_000;
export const DELIVERY_RETRIES = 6;
export const DELIVERY_JITTER_RATIO = 0.1;
export const DELIVERIES_IN_FLIGHT_PER_SUBSCRIPTION = 8;
/** Of an organization in one process. */
export const DELIVERIES_IN_FLIGHT_PER_ORGANIZATION = 64;
export const DELIVERIES_IN_FLIGHT_PER_PROCESS = 256;
/** An attempt that has lasted so long steps aside, where these are the caps. */
export const DELIVERY_SLOW_MS = 100;
export const DELIVERIES_OVERFLOW_PER_ORGANIZATION = 512;
export const DELIVERIES_OVERFLOW_PER_PROCESS = 2_048;
export const DELIVERIES_RETENTION_MS = 30 * 24 * 60 * 60 * 1000;
/** Of a page in the panel: a filter by time leads beyond it. */
export const DELIVERIES_SKIPPED_MAX = 10_000;
/** By their ids, in one call of the panel. */
export const RETRIED_DELIVERIES_MAX = 200;
export const SECRET_ROTATION_MS = 24 * 60 * 60 * 1000;
/** A subscriber's answer is read so far, and kept so far. */
export const DELIVERY_ANSWER_READ_MAX_BYTES = 64 * 1024;
export const DELIVERY_ANSWER_RETAINED_MAX_BYTES = 2 * 1024;

/** Head of an answer from outside: of a subscriber, of a flow's call, of a network. */
export const ANSWER_HEAD_MAX_BYTES = 64 * 1024;

/** Sending (I29, I32). */
export const QUEUED_MESSAGE_MAX_AGE_MS = 24 * 60 * 60 * 1000;
/** A bulk message waits for this long unless its caller says until when, and at most for so long. */
export const BULK_WAIT_DEFAULT_MS = 7 * 24 * 60 * 60 * 1000;
export const BULK_WAIT_MAX_MS = 30 * 24 * 60 * 60 * 1000;
/** What is sent so soon after the contact wrote is a reply. */
export const REPLY_WITHIN_MS = 10 * 60 * 1000;
/** Queued messages of a channel that the panel counts. */
export const BACKLOG_COUNTED_MAX = 1_000;
export const IN_DOUBT_SEND_WAIT_MS = 12_000;

/** Media (D15). */
export const MEDIA_MAX_BYTES = 25 * 1024 * 1024;
export const MEDIA_DOCUMENT_MAX_BYTES = 100 * 1024 * 1024;
export const MEDIA_FETCH_MS = 30_000;
/** A download, and the processing of its result. */
export const MEDIA_ASK_DEADLINE_MS = 45_000;
export const MEDIA_REDIRECTS_MAX = 3;
/** Of one answer on the bus: a file travels in parts. */
export const MEDIA_PART_BYTES = 512 * 1024;
/** Of a file that a member uploads: whole chunks of the file, of 255 KiB. */
export const UPLOAD_PART_BYTES = 2 * 255 * 1024;
/** The organization's library, as calls fill it. */
export const LIBRARY_FILES_MAX_PER_ORGANIZATION = 1_000;
export const LIBRARY_BYTES_MAX_PER_ORGANIZATION = 5 * 1024 * 1024 * 1024;
/** For all of an upload's body. */
export const UPLOAD_BODY_MS = 120_000;
/** Uploads of a process, of known callers and of all others. */
export const UPLOADS_BODY_BYTES = 64 * 1024 * 1024;
/** The most that a file on its way holds of a process's memory; a smaller file holds its size. */
export const MEDIA_UNDER_WAY_BYTES = 1024 * 1024;
/** Downloads of callers' URLs: of a process, and of one organization in it. */
export const DOWNLOADS_HELD_BYTES = 24 * MEDIA_UNDER_WAY_BYTES;
export const DOWNLOADS_HELD_BYTES_PER_ORGANIZATION = 6 * MEDIA_UNDER_WAY_BYTES;
/** Files that contacts sent. */
export const ARRIVALS_HELD_BYTES = 8 * MEDIA_UNDER_WAY_BYTES;
/** Files that are read for networks. */
export const UPLOADS_HELD_BYTES = 24 * MEDIA_UNDER_WAY_BYTES;
export const UPLOADS_HELD_BYTES_PER_ORGANIZATION = 8 * MEDIA_UNDER_WAY_BYTES;
/** A file that no entry names by then is removed. Longer than any call that may name it. */
export const MEDIA_UNREFERENCED_RETENTION_MS = 60 * 60 * 1000;
/** Uploaded media live 30 days on the network. */
export const UPLOAD_RETENTION_MS = 29 * 24 * 60 * 60 * 1000;

/** Reminder mails (D28): one that is older is not sent any more. */
export const REMINDER_MAX_AGE_MS = 24 * 60 * 60 * 1000;
/** A claim without a recorded outcome by then was interrupted. Longer than any send. */
export const REMINDER_CLAIM_MS = 90_000;

/** Changes by a provisioning file: rows of one organization, the others counted; values are cut. */
export const APPLY_CHANGES_MAX = 500;
export const APPLY_CHANGE_VALUE_MAX_CHARS = 200;

/** People in the panel. */
export const SESSION_IDLE_MS = 12 * 60 * 60 * 1000;
export const SESSION_MAX_MS = 30 * 24 * 60 * 60 * 1000;
export const OPERATOR_SESSION_MS = 60 * 60 * 1000;
/** A session's last use is written so often at most. */
export const SESSION_SEEN_EVERY_MS = 5 * 60 * 1000;
/** The newest of one member; an older one ends when another begins. */
export const SESSIONS_PER_MEMBER = 20;
/** Calls in a rate window, apart from those of keys. */
export const CALLS_PER_SESSION = 1_200;
export const SIGN_IN_LINK_MS = 15 * 60 * 1000;
/** After a link or a passphrase, an organization may be chosen for so long. */
export const SIGN_IN_TICKET_MS = 15 * 60 * 1000;
/** Of an invitation. */
export const INVITATION_LINK_MS = 7 * 24 * 60 * 60 * 1000;
export const LINK_MAILS_PER_HOUR = 3;
/** Not removed ones. More that are stored already stay, and grow no further. */
export const MEMBERS_MAX_PER_ORGANIZATION = 500;
/** Of one organization. */
export const INVITATIONS_PER_DAY = 50;
/** Links, and tickets, of one person to one organization that are good: the newest. */
export const SIGN_IN_SECRETS_MAX = 20;
export const PASSPHRASE_MIN_CHARS = 12;
export const PASSPHRASE_MAX_CHARS = 200;
/** Guesses of one passphrase at once, and the time that gives one back. */
export const GUESSES_BURST = 10;
export const GUESS_EVERY_MS = 6_000;
/** After a sign-in by passphrase, its peer goes before strangers for so long. */
export const KNOWN_PEER_MS = 30 * 24 * 60 * 60 * 1000;
/**
 * scrypt with N, r and p: 32 MiB, three times over. An unknown e-mail costs it too, so that its
 * answer takes as long as that of a wrong passphrase.
 */
export const PASSPHRASE_COST = 'scrypt:32768:8:3';
/** Hashes of passphrases in a process: at once, and waiting. A further one is refused: 429. */
export const PASSPHRASE_HASHES_AT_ONCE = 2;
export const PASSPHRASE_HASHES_QUEUED = 20;
/** Entries before a page of the log in the panel. */
export const AUDIT_SKIPPED_MAX = 10_000;
export const AUDIT_RETENTION_MS = 400 * 24 * 60 * 60 * 1000;

/** The operator's plots: how often, for how long after a page has asked, and minutes in memory. */
export const RATES_SAMPLE_MS = 10_000;
export const RATES_ASKED_MS = 5 * 60_000;
export const RATES_MINUTES_KEPT = 60;

/** Newest events of an organization that its owner keeps for the pages that are open. */
export const RECENT_EVENTS_MAX = 100;
/** Of their JSON; the newest one is kept whatever its size. */
export const RECENT_EVENTS_MAX_CHARS = 256 * 1024;

/** Runs of a flow that the panel lists: so many that run, and so many that have ended. */
export const FLOW_RUNS_SHOWN = 30;

/** Calls of a channel's inbound webhook that the panel shows. */
export const INBOUND_CALLS_MAX = 200;
/** Parts of such a call that are shown: a list of them fits one answer. */
export const INBOUND_CALL_PROPERTIES_SHOWN = 10;
export const INBOUND_CALL_ISSUES_SHOWN = 5;
export const INBOUND_CALL_TEXT_MAX_CHARS = 160;

/** Flows (docs/flows.md). */
export const FLOW_STEPS_MAX = 500;
/** Of the text of one flow in the panel's editor. */
export const FLOW_TEXT_MAX_CHARS = 64 * 1024;
export const FLOW_DURATION_MAX_MS = 730 * 24 * 60 * 60 * 1000;
export const FLOW_DEBOUNCE_MAX_MS = 5 * 60 * 1000;
export const FLOW_TEMPLATE_MAX_CHARS = 10_000;
/** Fields, headers, values and texts of one step; a flow with more is refused. */
export const FLOW_STEP_ENTRIES_MAX = 100;
/** Units that one step may spend (`shared/liquid/budget.ts`): some 50 ms of a slow core. */
export const FLOW_STEP_UNITS_MAX = 20_000;
/** Units that the steps of one run may spend: 10,000 visits of a usual step spend half of them. */
export const FLOW_RUN_UNITS_MAX = 2_000_000;
/** Characters and list items that a step makes, for one unit. */
export const FLOW_CHARS_PER_UNIT = 50;
/** Characters of a filter's arguments, read for each item of its list, for one unit. */
export const FLOW_ARGUMENT_CHARS_PER_UNIT = 10;
/** Characters of a template's source, which takes long to parse, for one unit. */
export const FLOW_SOURCE_CHARS_PER_UNIT = 4;
/** Units of a date filter: it asks the tables of time zones. */
export const FLOW_DATE_UNITS = 40;
/** Second line behind the units, for templates that cost more than they count. */
export const FLOW_STEP_RENDER_MS = 500;
/** Tries of one step by successive owners; the run then ends. */
export const FLOW_STEP_TRIES_MAX = 3;
export const FLOW_CONDITION_DEPTH_MAX = 5;
/** A longer answer is cut. */
export const FLOW_CALL_ANSWER_MAX_BYTES = 16 * 1024;
/** Answers that one flow keeps; a flow with more is refused. */
export const FLOW_ANSWERS_MAX = 20;
/** A longer answer is cut. */
export const FLOW_ANSWER_MAX_CHARS = 4096;
/** Steps of one run: an endless loop ends at this limit. */
export const FLOW_VISITS_MAX = 10_000;
/** Flows that one run may enter without waiting. */
export const FLOW_HOPS_MAX = 20;
/** Running conversations that the panel counts by their steps, newest first. */
export const FLOW_RUNS_COUNTED_MAX = 10_000;
/** Entries of a conversation in which the panel looks for its last run and the run's trace. */
export const FLOW_TRACE_ENTRIES_MAX = 1_000;

/** Event streams that one gateway has open; one more gets 500 `overloaded`. */
export const EVENT_STREAMS_PER_GATEWAY = 5_000;
/** Event streams of one key, and of one organization; one more gets 409. */
export const EVENT_STREAMS_PER_KEY = 10;
export const EVENT_STREAMS_PER_ORGANIZATION = 50;
export const EVENT_STREAM_NAME_MAX_CHARS = 40;
/** Written and not acknowledged: the response then ends, and the next connection acknowledges. */
export const EVENT_STREAM_UNACKNOWLEDGED_MAX = 1_000;
/** After the last connection. */
export const EVENT_STREAM_RETENTION_MS = 24 * 60 * 60 * 1000;
/** While a connection is open, it keeps its stream so often. */
export const EVENT_STREAM_TOUCHED_EVERY_MS = 10 * 60 * 1000;
/** A reader that takes nothing for so long is cut off. */
export const EVENT_STREAM_STALL_MS = 60_000;
export const EVENT_STREAM_COMMENT_EVERY_MS = 15_000;
/** Of one stream; one more gets 429. */
export const EVENT_STREAM_ACKNOWLEDGEMENTS_PER_SECOND = 2;
/** Results in one acknowledgement. */
export const EVENT_STREAM_RESULTS_MAX = 1_000;
/** Deliveries of one read or push, and characters of their bodies. */
export const EVENT_STREAM_PAGE_MAX = 100;
export const EVENT_STREAM_PAGE_MAX_CHARS = 256 * 1024;
