/**
 * Documents of business accounts and of their templates. A listing inserts all its templates under
 * its own number, and the account then names that number: readers see all of a listing or nothing.
 */
import type { NetworkTemplate } from '../../shared/ports/network.ts';
import type { Document } from '../../shared/ports/store.ts';
import type { AccountState } from '../domain/template/account.ts';

export interface AccountDocument extends Document, AccountState {
  readonly orgId: string;
  /** The network's id. */
  readonly businessAccountId: string;
}

export interface TemplateDocument extends Document, NetworkTemplate {
  readonly templateId: string;
  readonly accountId: string;
  /** Number of the listing. */
  readonly listing: number;
  /** Name and body, folded: searched as a literal substring. */
  readonly folded: string;
}
