/**
 * The claim on a business account: one process lists its templates at a time. It ends without
 * renewals, so that another process takes over the work of one that has died.
 */
import type { WriteOutcome } from '../../shared/ports/store.ts';
import {
  type AccountState,
  CLAIM_MS,
  CLAIM_RENEWAL_MS,
  type ListingClaim,
  NEW_ACCOUNT,
} from '../domain/template/account.ts';
import type { Environment } from '../environment.ts';
import { describe } from '../runtime/describe-fault.ts';

export type TemplateEnvironment = Pick<
  Environment,
  'store' | 'clock' | 'ids' | 'log' | 'networks' | 'leaseHeld'
>;

export interface NamedAccount {
  readonly id: string;
  readonly orgId: string;
  readonly businessAccountId: string;
}

export interface Claimed {
  readonly state: AccountState;
  readonly claim: ListingClaim;
}

/** Compare-and-set of the number of the last listing; false: another process began one. */
export async function tryClaim(
  { store }: TemplateEnvironment,
  { id: _id, orgId, businessAccountId }: NamedAccount,
  { state, claim }: Claimed,
): Promise<boolean> {
  const { begun: _, claim: __, ...others } = NEW_ACCOUNT;
  const [outcome] = await store.commit([
    {
      update: 'businessAccounts',
      filter: { _id, begun: state.begun },
      change: {
        $set: { begun: claim.number, claim },
        $setOnInsert: { ...others, orgId, businessAccountId },
      },
      upsert: true,
    },
  ]);
  return isWritten(outcome);
}

/** Renews the claim until the returned function is called: a listing may take minutes. */
export function renewClaim(
  { store, clock, log, leaseHeld }: TemplateEnvironment,
  { id: _id }: NamedAccount,
  { claim }: Claimed,
): () => void {
  const renew = async (): Promise<void> => {
    cancel = clock.after(CLAIM_RENEWAL_MS, () => void renew());
    if (!leaseHeld()) return;
    const filter = { _id, 'claim.number': claim.number };
    const change = { $set: { 'claim.until': clock.now() + CLAIM_MS } };
    try {
      await store.commit([{ update: 'businessAccounts', filter, change }], { deferrable: true });
    } catch (fault) {
      log.warn({ account: _id, error: describe(fault) }, 'claim of a listing not renewed');
    }
  };
  let cancel = clock.after(CLAIM_RENEWAL_MS, () => void renew());
  return () => cancel();
}

export function isDuplicate(outcome: WriteOutcome | undefined): boolean {
  return outcome?.ok === false && 'duplicate' in outcome;
}

/** False where another process was first. @throws where the write failed */
export function isWritten(outcome: WriteOutcome | undefined): boolean {
  if (outcome?.ok === true) return true;
  if (isDuplicate(outcome)) return false;
  throw new Error('a business account was not written', { cause: outcome });
}
