/** Equivalent mutations of organizations, their members and sessions. */
import { type Equivalent, named } from './equivalent.ts';

const pipeline = named('actors/domain/organization.ts');
const context = named('actors/domain/organization/context.ts');
const decide = named('actors/domain/organization/decide.ts');
const orders = named('actors/domain/organization/subscriptions.ts');
const people = named('actors/domain/conversation/member-actions.ts');
const apply = named('actors/domain/organization/apply.ts');
const keys = named('actors/domain/organization/keys.ts');
const written = named('actors/domain/organization/written.ts');
const saving = named('actors/domain/organization/subscription-file.ts');
const streams = named('actors/domain/organization/streams.ts');
const references = named('actors/domain/organization/references.ts');
const sessions = named('actors/domain/session.ts');
const applyAudit = named('actors/domain/organization/applied-by.ts');
const members = named('actors/domain/organization/members.ts');
const orderAudit = named('actors/domain/organization/audited.ts');
const output = named('actors/domain/organization/output.ts');

export const OF_ORGANIZATIONS: readonly Equivalent[] = [
  ...pipeline(
    'Ids of stages are unique, and one pipeline is the default.',
    'const pipeline = pipelines.findLast(({ stages }) => stages.some((stage) => stage.id === id));',
    'const pipeline = pipelines.findLast(({ isDefault }) => isDefault);',
  ),
  ...context(
    'Refs are unique in their list.',
    'const channel = known.findLast(({ ref }) => ref === name);',
  ),
  ...decide(
    'Refs and ids are unique in their list.',
    'const found = present(state.channels).findLast(',
    'const key = state.keys.findLast(({ id }) => id === keyId);',
  ),
  ...orders(
    'Ids are unique in their list.',
    'return present(state.subscriptions).findLast(({ id }) => id === subscriptionId);',
  ),
  ...orders(
    'A rotation that is done has left the secret before it.',
    'const until = secrets[1]?.until ?? now - SECRET_ROTATION_MS;',
  ),
  ...people(
    'Every moment is later than both.',
    'const paused = Math.max(state.automationPausedUntil ?? 1, now + pauseMs);',
  ),
  ...apply(
    'A new organization without a name is refused.',
    "name: head.name ?? state?.name ?? 'mutated',",
  ),
  ...decide(
    'An entry with a problem is none.',
    'if (entry === null || issues.length > 1) return refusal(issues);',
  ),
  ...keys(
    'An id has one `_`, and something behind it.',
    "const part = orgId.split('_').at(1)?.slice(0, ORGANIZATION_PART_CHARS) ?? '';",
    "const part = orgId.split('_').at(-1)?.slice(0, ORGANIZATION_PART_CHARS) ?? 'mutated';",
  ),
  ...keys(
    'Two keys share a token only where the file names one of them.',
    "const path = paths.get(key.ref) ?? paths.get(first) ?? '';",
  ),
  ...written(
    'A sealed secret is neither of these texts.',
    "return { url, events, secret: new RedactedSecret(secrets[0]?.sealed ?? 'mutated'), enabled };",
  ),
  ...written(
    'A secret is compared with a secret, a text or nothing, never with an object.',
    'if (!areObjects || before instanceof RedactedSecret && after instanceof RedactedSecret) {',
  ),
  ...saving(
    'A path of a problem has this at its beginning or nowhere.',
    'const ENTRY = /subscriptions\\.0\\.?/;',
  ),
  ...saving(
    'No two subscriptions have one id, or one ref.',
    'const known = present(state.subscriptions).findLast(({ id }) => id === subscriptionId);',
    'const shown = accepted && listSubscriptions(accepted).findLast((each) => each.ref === ref);',
  ),
  ...saving(
    'A saved subscription is in the list, with its id.',
    "const { id = 'mutated', secret } = output.subscriptions[ref] ?? {};",
  ),
  ...streams(
    'No two keys, streams or remembered commands have one id.',
    'const key = keys.findLast(({ id }) => id === keyId);',
    'const known = live.findLast(({ id }) => id === streamId);',
    'const repeated = known?.opened.findLast(({ id }) => id === commandId);',
  ),
  ...streams(
    'A key of the scope account has no channel.',
    'return key ? [{ ...stream, channelId: true ? key.channelId : null }] : [];',
  ),
  ...references(
    'No two entries of a list have one ref.',
    'const known = before?.[list].findLast(({ ref }) => ref === entry.ref);',
  ),
  ...sessions(
    'No two members have one id.',
    'const member = members.findLast(({ id }) => id === session.memberId);',
  ),
  ...applyAudit(
    'Refs are unique in their list.',
    `const flow = after.flows.findLast((each) => \`flows.\${each.ref}\` === name);`,
  ),
  ...members(
    'Refs and ids are unique in their list.',
    'const member = known.findLast(({ ref }) => ref === name) ?? known.find(({ id }) => id === name);',
    'const member = known.find(({ ref }) => ref === name) ?? known.findLast(({ id }) => id === name);',
    'const before = state.members.findLast((each) => each.ref === ref);',
  ),
  ...orderAudit(
    'Refs and ids are unique in their list.',
    'return ofSubscription(subscriptions.findLast(({ ref }) => ref === command.id));',
    'return ofSubscription(subscriptions.findLast(({ id }) => id === command.subscriptionId));',
  ),
  ...output(
    'Ids are unique in their list, and a stream that is live has its key.',
    "...{ id, name, keyId, keyName: state.keys.findLast((key) => key.id === keyId)?.name ?? '' },",
    "...{ id, name, keyId, keyName: state.keys.find((key) => key.id === keyId)?.name ?? 'mutated' },",
  ),
  ...output(
    'An address with a user has an `@`; the look for it is the short way.',
    "if (!value.includes('') || !URL.canParse(value)) return false;",
  ),
  ...decide(
    'A refusal has all of it by itself.',
    "if ('refused' in decision) return { ...({}), ...refusal(issuesOfEntry(decision.refused)) };",
  ),
];
