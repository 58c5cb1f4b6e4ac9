/** Graph's error answers, as the simulator gives them: the shape, the statuses, the titles. */
import { randomBytes } from 'node:crypto';

export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** HTTP status and title by code, after Meta's error reference. */
const ERRORS: ReadonlyMap<number, readonly [number, string]> = new Map([
  [0, [401, 'AuthException']],
  [1, [400, 'API Unknown']],
  [2, [503, 'API Service']],
  [3, [403, 'API Method']],
  [4, [400, 'API Too Many Calls']],
  [10, [403, 'API Permission Denied']],
  [17, [400, 'User request limit reached']],
  [32, [400, 'Page request limit reached']],
  [33, [400, 'Parameter value is not valid']],
  [100, [400, 'Invalid parameter']],
  [102, [401, 'Session key invalid or no longer valid']],
  [190, [401, 'Access token has expired']],
  [200, [403, 'API Permission']],
  [341, [400, 'Application limit reached']],
  [368, [403, 'Temporarily blocked for policies violations']],
  [613, [400, 'Calls to this API have exceeded the rate limit']],
  [80007, [400, 'Rate limit issues']],
  [80008, [400, 'There have been too many calls to this WhatsApp Business account']],
  [130429, [400, 'Rate limit hit']],
  [130472, [400, "User's number is part of an experiment"]],
  [130497, [403, 'Business account is restricted from messaging users in this country']],
  [131000, [500, 'Something went wrong']],
  [131005, [403, 'Access denied']],
  [131008, [400, 'Required parameter is missing']],
  [131009, [400, 'Parameter value is not valid']],
  [131016, [500, 'Service unavailable']],
  [131021, [400, 'Recipient cannot be sender']],
  [131026, [400, 'Message undeliverable']],
  [131030, [400, 'Recipient phone number not in allowed list']],
  [131031, [403, 'Account has been locked']],
  [131037, [400, 'Display name needs approval before message can be sent']],
  [131042, [400, 'Business eligibility payment issue']],
  [131044, [400, 'Business eligibility: no payment method']],
  [131045, [500, 'Incorrect certificate']],
  [131047, [400, 'Re-engagement message']],
  [131048, [400, 'Spam rate limit hit']],
  [131049, [400, 'This message was not delivered to maintain healthy ecosystem engagement.']],
  [131050, [400, 'User has stopped marketing messages']],
  [131051, [400, 'Unsupported message type']],
  [131052, [400, 'Media download error']],
  [131053, [400, 'Media upload error']],
  [131056, [400, '(Business Account, Consumer Account) pair rate limit hit']],
  [131057, [500, 'Account in maintenance mode']],
  [131062, [400, 'Business-scoped user id is not allowed for this message']],
  [131063, [400, 'Marketing messages to this user are disabled']],
  [131064, [400, 'Account-wide limit reached']],
  [132000, [400, 'Number of parameters does not match the expected number of params']],
  [132001, [404, 'Template name does not exist in the translation']],
  [132005, [400, 'Translated text too long']],
  [132007, [400, 'Template format character policy violated']],
  [132008, [400, 'Parameter of the template is not valid']],
  [132012, [400, 'Parameter format does not match format in the created template']],
  [132015, [400, 'Template is paused']],
  [132016, [400, 'Template is disabled']],
  [132018, [400, 'Template parameters are not valid']],
  [132068, [400, 'Flow is blocked']],
  [132069, [400, 'Flow is throttled']],
  [133004, [503, 'Server Temporarily Unavailable']],
  [133006, [400, 'Phone number needs to be verified before registering']],
  [133010, [400, 'Phone number not registered']],
  [135000, [400, 'Generic user error']],
  [137000, [400, 'Business-scoped user id recipient is not available']],
  [141006, [400, 'Business account has no valid payment method']],
]);

/** The code for a fault with only a status. */
const CODES: Readonly<Record<number, number>> = { 401: 190, 403: 10, 429: 130429, 503: 2 };

/** Codes whose errors Graph marks as transient. */
const TRANSIENT: ReadonlySet<number> = new Set([2]);

/** Meta's title of a code. */
export function titleOf(code: number): string {
  return ERRORS.get(code)?.[1] ?? 'Unknown error';
}

/** The code for a fault that gives only a status. */
export function codeOfStatus(status: number): number {
  return CODES[status] ?? (status >= 500 ? 131016 : 100);
}

/** A refusal with the code's own status unless `status` is given. */
export function graphError(
  code: number,
  details: string,
  {
    status,
    transient = false,
  }: { status?: number | undefined; transient?: boolean | undefined } = {},
): Reply {
  const [usual, title] = ERRORS.get(code) ?? [400, 'Unknown error'];
  return errorReply(status ?? usual, {
    message: `(#${code}) ${title}`,
    type: 'OAuthException',
    code,
    error_data: { messaging_product: 'whatsapp', details },
    ...(transient || TRANSIENT.has(code) ? { is_transient: true } : {}),
  });
}

/** A refusal with a subcode and words for people, as of the administration of templates. */
export function graphProblem(problem: {
  readonly code: number;
  readonly subcode: number;
  readonly title: string;
  readonly message: string;
}): Reply {
  const [status, words] = ERRORS.get(problem.code) ?? [400, 'Unknown error'];
  return errorReply(status, {
    message: words,
    type: 'OAuthException',
    code: problem.code,
    error_subcode: problem.subcode,
    is_transient: false,
    error_user_title: problem.title,
    error_user_msg: problem.message,
  });
}

/** The answer of a proxy before Graph: no JSON, and no code. */
export function proxyPage(status: number): Reply {
  return { status, body: `<html><body><h1>${status} Bad Gateway</h1></body></html>` };
}

/** An answer of success. */
export function jsonReply(value: unknown): Reply {
  return { status: 200, body: JSON.stringify(value) };
}

/** A wrong or missing token. */
export function invalidToken(): Reply {
  return errorReply(401, {
    message: 'Invalid OAuth access token - Cannot parse access token',
    type: 'OAuthException',
    code: 190,
  });
}

/**
 * An object that does not exist, or that the token does not reach: Graph does not distinguish them.
 */
export function unknownObject(method: string, id: string): Reply {
  return errorReply(400, {
    message:
      `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, ` +
      'cannot be loaded due to missing permissions, or does not support this operation. Please read the ' +
      'Graph API documentation at https://developers.facebook.com/docs/graph-api',
    type: 'GraphMethodException',
    code: 100,
    error_subcode: 33,
  });
}

/** A path that is no path of the API. */
export function unknownPath(path: string): Reply {
  return errorReply(400, {
    message: `Unknown path components: ${path}`,
    type: 'OAuthException',
    code: 2500,
  });
}

function errorReply(status: number, error: Record<string, unknown>): Reply {
  const trace = { fbtrace_id: `A${randomBytes(12).toString('base64url')}` };
  return { status, body: JSON.stringify({ error: { ...error, ...trace } }) };
}
