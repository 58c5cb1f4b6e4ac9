/** Processes that synchronise one business account in a real store, over a scripted network. */
import {
  type ListingCause,
  REQUEST_INTERVAL_MS,
} from '../../../../actors/domain/template/account.ts';
import type { FoundTemplate } from '../../../../actors/domain/template.ts';
import type { AccountDocument, TemplateDocument } from '../../../../actors/model/template.ts';
import type { NamedAccount, TemplateEnvironment } from '../../../../actors/template/claim.ts';
import { findTemplate } from '../../../../actors/template/find-template.ts';
import { requestListing, synchronise } from '../../../../actors/template/synchronise.ts';
import { createIds } from '../../../../infra/adapters/ids/ids.ts';
import { accountId } from '../../../../shared/entity-ids.ts';
import type {
  NetworkDriver,
  NetworkTemplate,
  TemplateListing,
} from '../../../../shared/ports/network.ts';
import { BODY, template } from '../../../support/actors/domain/template-fixture.ts';
import { type Engine, fileEngine, SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import type { Store } from '../../../support/plain-store.ts';

const CHANNEL_ID = 'chn_1';
const BUSINESS_ACCOUNT = '990000';

export class AccountFixture {
  readonly clock = new ManualClock();
  readonly store: Store;
  readonly #orgId: string;
  readonly #ids = createIds(Buffer.alloc(32, 1));
  /** Calls of the network so far. */
  calls = 0;
  answer: () => Promise<TemplateListing> | TemplateListing = () => listed('pedido');

  constructor(engine: Engine, orgId: string) {
    this.store = engine.store;
    this.#orgId = orgId;
  }

  static async opened(engine: Engine, orgId: string): Promise<AccountFixture> {
    const fixture = new AccountFixture(engine, orgId);
    const network = { businessAccountId: BUSINESS_ACCOUNT };
    const channels = [{ id: CHANNEL_ID, provider: 'cloud', network }];
    const document = { _id: orgId, channels, ref: orgId };
    await engine.store.commit([{ insert: 'organizations', document }]);
    return fixture;
  }

  get account(): NamedAccount {
    const id = accountId(this.#ids, this.#orgId, BUSINESS_ACCOUNT);
    return { id, orgId: this.#orgId, businessAccountId: BUSINESS_ACCOUNT };
  }

  /** A process of its own, over another store where one is given. */
  synchronise(cause: ListingCause = 'due', store: Store = this.store): Promise<number> {
    const network = { businessAccountId: BUSINESS_ACCOUNT };
    const channel = { id: CHANNEL_ID, provider: 'cloud', phone: '551140001000', network } as const;
    return synchronise(this.#environment(store), { orgId: this.#orgId, network: channel }, cause);
  }

  request(): Promise<number> {
    return requestListing({ store: this.store }, this.account);
  }

  /** A request that is served at once: the last listing ended a while ago. */
  requestLater(): Promise<number> {
    this.clock.advance(REQUEST_INTERVAL_MS);
    return this.request();
  }

  state(): Promise<AccountDocument | null> {
    return this.store.byId('businessAccounts', this.account.id);
  }

  /** All that are stored, shown or not. */
  stored(): Promise<TemplateDocument[]> {
    return this.store.find('templates', { accountId: this.account.id });
  }

  find(name: string, language = 'pt_BR'): Promise<FoundTemplate> {
    const reading = { store: this.store, ids: this.#ids };
    const channel = { orgId: this.#orgId, channelId: CHANNEL_ID };
    return findTemplate(reading, channel, { name, language });
  }

  #environment(store: Store): TemplateEnvironment {
    const driver = {
      listTemplates: async () => {
        this.calls++;
        return this.answer();
      },
    };
    return {
      ...{ store, clock: this.clock, ids: this.#ids, log: SILENT, leaseHeld: () => true },
      networks: { driver: () => driver as Partial<NetworkDriver> as NetworkDriver },
    };
  }
}

/** A listing of approved templates of these names. */
export function listed(...names: readonly string[]): TemplateListing {
  return { listed: true, templates: names.map((name) => named(name)) };
}

export function named(name: string, changes: Partial<NetworkTemplate> = {}): NetworkTemplate {
  return template([BODY], { name, networkId: `n-${name}`, ...changes });
}

/** Opens accounts in an engine that is there while the tests of a file run. */
export function accountsOfFile(): () => Promise<AccountFixture> {
  const engine = fileEngine();
  let made = 0;
  return () => AccountFixture.opened(engine, `org_${++made}`);
}
