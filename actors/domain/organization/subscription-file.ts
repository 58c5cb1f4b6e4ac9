/**
 * Commands that create or change one subscription. Each is decided as a provisioning file of one
 * entry, so that there is one way to check and to store a subscription.
 */
import type { ProblemAt } from '../../../shared/problems/provisioning.ts';
import type {
  ApplyCommand,
  OrganizationCommand,
  SaveSubscriptionCommand,
} from '../../../shared/provisioning/commands.ts';
import { type OrganizationState, present } from '../organization.ts';
import type { ApplyDecision } from './apply.ts';
import { listSubscriptions } from './output.ts';
import { urlsToCheck } from './subscriptions.ts';

/** Before the property, in the path of a problem with the entry. */
const ENTRY = /^subscriptions\.0\.?/;

/** The file's entry; null where there is no such subscription. */
function entryOf(
  state: OrganizationState,
  command: SaveSubscriptionCommand,
): { readonly ref: string } | null {
  const { url, events } = command;
  const given = {
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events }),
  };
  // As a key that a command makes.
  if (command.type === 'subscriptions.create') return { ref: command.id, ...given };
  const { subscriptionId, enabled } = command;
  const known = present(state.subscriptions).find(({ id }) => id === subscriptionId);
  if (!known) return null;
  return { ref: known.ref, ...given, ...(enabled === undefined ? {} : { enabled }) };
}

export interface SubscriptionFile {
  readonly ref: string;
  readonly apply: ApplyCommand;
}

/** The file that the command stands for; null where there is no such subscription. */
export function subscriptionFile(
  state: OrganizationState,
  command: SaveSubscriptionCommand,
): SubscriptionFile | null {
  const entry = entryOf(state, command);
  if (!entry) return null;
  const { id, seed } = command;
  const organization = { ref: state.ref, subscriptions: [entry] };
  return { ref: entry.ref, apply: { id, type: 'apply', check: false, seed, organization } };
}

/** The URLs of a command that `refuseUrl` has to know. */
export function urlsOf(state: OrganizationState | null, command: OrganizationCommand): string[] {
  if (command.type === 'apply') return urlsToCheck(state, command.organization);
  if (command.type !== 'subscriptions.create' && command.type !== 'subscriptions.change') return [];
  const file = state && subscriptionFile(state, command);
  return file ? urlsToCheck(state, file.apply.organization) : [];
}

/** Problems by the command's own properties. */
export function issuesOfEntry(issues: readonly ProblemAt[]): readonly ProblemAt[] {
  return issues.map(({ path, problem }) => ({ path: path.replace(ENTRY, ''), problem }));
}

type Accepted = Exclude<ApplyDecision, { readonly refused: readonly ProblemAt[] }>;

/** The subscription as its list shows it; the secret of a new one, this once. */
export function savedSubscription(ref: string, { accepted, output }: Accepted) {
  const shown = accepted && listSubscriptions(accepted).find((each) => each.ref === ref);
  const { id = '', secret } = output.subscriptions[ref] ?? {};
  return { id, ...shown, ...(secret === undefined ? {} : { secret }) };
}
