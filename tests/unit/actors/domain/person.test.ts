/** Decisions about a person: links, tickets, guesses and known peers (D211, docs/security.md). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  addInvitation,
  addLink,
  addMailedLink,
  exchangeLink,
  findTicket,
  type Guesses,
  isKnownPeer,
  newPerson,
  type PersonState,
  rightGuess,
  slowedGuesses,
  spendGuess,
  withTicket,
} from '../../../../actors/domain/person.ts';
import {
  GUESS_EVERY_MS,
  GUESSES_BURST,
  INVITATION_LINK_MS,
  KNOWN_PEER_MS,
  LINK_MAILS_PER_HOUR,
  SIGN_IN_LINK_MS,
  SIGN_IN_SECRETS_MAX,
  SIGN_IN_TICKET_MS,
} from '../../../../shared/limits.ts';
import { forAll } from '../../../support/property.ts';

const NOW = 1_700_000_000_000;
const person = newPerson('prs_1');
const to = { orgId: 'org_1', memberId: 'mbr_1' };
const linked = addLink(person, { digest: 'link', to }, NOW).next;
const use = (id: string, ticket = 'ticket') => ({ id, digest: 'link', ticket });

describe('a sign-in link', () => {
  it('signs in within 15 minutes, and not at their end', () => {
    forAll([fc.integer({ min: 0, max: 2 * SIGN_IN_LINK_MS })], (lateMs) => {
      const exchanged = exchangeLink(linked, use('cmd_1'), NOW + lateMs);
      assert.equal(exchanged !== null, lateMs < SIGN_IN_LINK_MS);
    });
  });

  it('signs in once; the command that used it may be repeated', () => {
    const first = exchangeLink(linked, use('cmd_1'), NOW);
    assert.ok(first);
    assert.deepEqual(first.to, to);
    assert.equal(exchangeLink(first.next, use('cmd_2'), NOW), null);
    assert.deepEqual(exchangeLink(first.next, use('cmd_1'), NOW)?.to, to);
  });

  it('leaves a ticket, which chooses an organization for 15 minutes', () => {
    const { next = person } = exchangeLink(linked, use('cmd_1'), NOW) ?? {};
    assert.equal(findTicket(next, 'ticket', NOW + SIGN_IN_TICKET_MS - 1)?.way, 'link');
    assert.equal(findTicket(next, 'ticket', NOW + SIGN_IN_TICKET_MS), null);
    assert.equal(findTicket(next, 'another', NOW), null);
  });

  it('is kept beside so many others', () => {
    let state = person;
    for (let made = 0; made < 2 * SIGN_IN_SECRETS_MAX; made++) {
      state = addLink(state, { digest: String(made), to }, NOW).next;
    }
    assert.equal(state.links.length, SIGN_IN_SECRETS_MAX);
  });

  it('of one organization does not push out those of another, and a ticket neither', () => {
    const elsewhere = { orgId: 'org_2', memberId: 'mbr_2' };
    let state = addLink(linked, { digest: 'mail', to: null, mailed: true }, NOW).next;
    state = withTicket(state, { digest: 'mine', to, way: 'link' }, NOW);
    for (let made = 0; made < 2 * SIGN_IN_SECRETS_MAX; made++) {
      state = addLink(state, { digest: String(made), to: elsewhere }, NOW).next;
      state = withTicket(state, { digest: String(made), to: elsewhere, way: 'link' }, NOW);
    }
    assert.ok(exchangeLink(state, use('cmd_1'), NOW));
    assert.ok(exchangeLink(state, { ...use('cmd_2'), digest: 'mail' }, NOW));
    assert.ok(findTicket(state, 'mine', NOW));
  });

  it('says whether the mailbox is proven: a mailed one alone does', () => {
    const both = addLink(linked, { digest: 'mail', to: null, mailed: true }, NOW).next;
    assert.equal(exchangeLink(both, use('cmd_1'), NOW)?.way, 'link');
    const mailed = exchangeLink(both, { ...use('cmd_2'), digest: 'mail' }, NOW);
    assert.equal(mailed?.way, 'mail');
    assert.equal(findTicket(mailed?.next ?? person, 'ticket', NOW)?.way, 'mail');
  });

  it('of an invitation is good for 7 days, and either use ends both of its links', () => {
    const command = { id: 'inv_1', to, mailed: 'mailed', copied: 'copied' };
    const { next: both } = addInvitation(person, command, NOW);
    for (const [digest, other, way] of [
      ['mailed', 'copied', 'mail'],
      ['copied', 'mailed', 'link'],
    ] as const) {
      const used = exchangeLink(both, { ...use('cmd_1'), digest }, NOW + INVITATION_LINK_MS - 1);
      assert.equal(used?.way, way);
      const later = { ...use('cmd_2'), digest: other };
      assert.equal(exchangeLink(used?.next ?? person, later, NOW + 1), null);
      assert.equal(exchangeLink(both, later, NOW + INVITATION_LINK_MS), null);
    }
  });

  it('of an invitation is not there again for a repeat of the command that made both', () => {
    const command = { id: 'inv_1', to, mailed: 'mailed', copied: 'copied' };
    const { next: both, until } = addInvitation(person, command, NOW);
    assert.deepEqual(addInvitation(both, command, NOW + 1), { next: both, until });
    for (const digest of ['mailed', 'copied']) {
      const used = exchangeLink(both, { ...use('cmd_1'), digest }, NOW + 1)?.next ?? person;
      assert.equal(addInvitation(used, command, NOW + 2).next, used);
    }
  });

  it('leaves its ticket once, whatever has taken it away since', () => {
    const { next = person } = exchangeLink(linked, use('cmd_1'), NOW) ?? {};
    const taken = { ...next, tickets: [] };
    assert.equal(exchangeLink(taken, use('cmd_1'), NOW + 1)?.next, taken);
  });

  it('is mailed three times within any hour', () => {
    forAll([fc.array(fc.nat(30 * 60_000), { maxLength: 20 })], (waits) => {
      const mailed: number[] = [];
      let [state, at] = [person, NOW];
      for (const [index, wait] of waits.entries()) {
        at += wait;
        const next = addMailedLink(state, String(index), at);
        if (next) mailed.push(at);
        state = next ?? state;
      }
      for (const end of mailed) {
        const within = mailed.filter((each) => each > end - 3_600_000 && each <= end);
        assert.ok(within.length <= LINK_MAILS_PER_HOUR);
      }
    });
  });
});

describe('guesses of a passphrase', () => {
  it('are slowed, never locked out: within 6 s the next one may be made', () => {
    forAll([fc.array(fc.nat(20_000), { maxLength: 200 })], (waits) => {
      let guesses: Guesses = new Map();
      let [at, made] = [NOW, 0];
      for (const wait of waits) {
        at += wait;
        const decision = spendGuess(person, { guesses, peer: 'a' }, at);
        assert.ok(decision.waitMs <= GUESS_EVERY_MS);
        if (!('next' in decision)) continue;
        made += 1;
        guesses = decision.next;
      }
      assert.ok(made <= GUESSES_BURST + (at - NOW) / GUESS_EVERY_MS);
    });
  });

  it('from elsewhere do not slow a peer that has signed in before', () => {
    const state = rightGuess(person, 'home', NOW);
    let guesses: Guesses = new Map();
    for (let made = 0; made < GUESSES_BURST; made++) {
      const decision = spendGuess(state, { guesses, peer: `peer-${made}` }, NOW);
      assert.ok('next' in decision);
      guesses = decision.next;
    }
    assert.ok(spendGuess(state, { guesses, peer: 'elsewhere' }, NOW).waitMs > 0);
    assert.equal(spendGuess(state, { guesses, peer: 'home' }, NOW).waitMs, 0);
    assert.equal(slowedGuesses(guesses, NOW).size, 1);
    assert.equal(slowedGuesses(guesses, NOW + GUESSES_BURST * GUESS_EVERY_MS).size, 0);
  });

  it('count a peer as known for 30 days after its last sign-in', () => {
    const state = rightGuess(rightGuess(person, 'home', NOW), 'home', NOW + 1000);
    const isKnown = (lateMs: number) => isKnownPeer(state, 'home', NOW + 1000 + lateMs);
    assert.deepEqual([0, KNOWN_PEER_MS - 1, KNOWN_PEER_MS].map(isKnown), [true, true, false]);
    assert.equal(isKnownPeer(state, 'elsewhere', NOW), false);
  });
});

const HOUR = 3_600_000;
/** The person after links that were mailed at these times. */
function mailedAt(...times: readonly number[]): PersonState {
  return times.reduce<PersonState>(
    (state, at) => addMailedLink(state, `link-${at}`, at) ?? assert.fail(),
    person,
  );
}

it('a new person has no passphrase, no commit, and nothing to sign in with', () => {
  assert.deepEqual(person, {
    ...{ id: 'prs_1', passphrase: null, version: 0 },
    ...{ links: [], tickets: [], peers: [], mailed: [], sessions: [] },
  });
});

describe('mailed links', () => {
  const full = mailedAt(NOW, NOW + 1, NOW + 2);

  it('are three within an hour, and again when the first one is an hour old', () => {
    assert.equal(full.mailed.length, 3);
    for (const lateMs of [2, 3, HOUR - 1]) {
      assert.equal(addMailedLink(full, 'more', NOW + lateMs), null, `${lateMs} ms later`);
    }
    const next = addMailedLink(full, 'more', NOW + HOUR);
    assert.deepEqual(next?.mailed, [NOW + 1, NOW + 2, NOW + HOUR]);
    assert.deepEqual(addMailedLink(full, 'more', NOW + 2 * HOUR)?.mailed, [NOW + 2 * HOUR]);
  });

  it('of one moment count each', () => {
    assert.equal(addMailedLink(mailedAt(NOW, NOW, NOW), 'more', NOW), null);
  });

  it('of a clock that was ahead do not count', () => {
    const ahead = { ...person, mailed: [NOW + 1, NOW + 2, NOW + 3] };
    assert.deepEqual(addMailedLink(ahead, 'more', NOW)?.mailed, [NOW]);
  });

  it('sign in at any organization of the e-mail', () => {
    const [link] = mailedAt(NOW).links;
    assert.deepEqual([link?.digest, link?.to, link?.usedBy], [`link-${NOW}`, null, null]);
  });
});

describe('a link that is used', () => {
  const to = { orgId: 'org_1', memberId: 'mbr_1' };
  const one = addLink(person, { digest: 'one', to }, NOW).next;
  const two = addLink(one, { digest: 'two', to: null }, NOW).next;
  const use = { id: 'cmd_1', digest: 'one', ticket: 'ticket' };

  it('leaves the others as they are', () => {
    const used = exchangeLink(two, use, NOW)?.next ?? assert.fail();
    const links = used.links.map(({ digest, usedBy }) => [digest, usedBy]);
    assert.deepEqual(links, [
      ['one', 'cmd_1'],
      ['two', null],
    ]);
    const other = exchangeLink(used, { id: 'cmd_2', digest: 'two', ticket: 'other' }, NOW);
    assert.equal(other?.to, null);
  });
});

describe('a ticket', () => {
  const ticket = { digest: 'ticket', to: null, way: 'passphrase' } as const;

  it('of a repeated command is the same one, for as long as at first', () => {
    const state = withTicket(person, ticket, NOW);
    const until = NOW + SIGN_IN_TICKET_MS;
    assert.deepEqual(state.tickets, [{ ...ticket, until }]);
    const again = withTicket(state, ticket, NOW + 60_000);
    assert.equal(again, state);
    assert.deepEqual(findTicket(again, 'ticket', until - 1), { ...ticket, until });
  });
});

describe('guesses', () => {
  const burst = (peer: string) => Array.from({ length: GUESSES_BURST }, () => peer);

  /** The buckets after a guess from each of the peers. */
  function guessed(state: PersonState, peers: readonly string[]): Guesses {
    let guesses: Guesses = new Map();
    for (const peer of peers) {
      const decision = spendGuess(state, { guesses, peer }, NOW);
      assert.ok('next' in decision);
      guesses = decision.next;
    }
    return guesses;
  }

  it('wait for the next token to the millisecond', () => {
    const guesses = guessed(person, burst('a'));
    const waits = [0, 1, GUESS_EVERY_MS - 1, GUESS_EVERY_MS].map(
      (lateMs) => spendGuess(person, { guesses, peer: 'a' }, NOW + lateMs).waitMs,
    );
    assert.deepEqual(waits, [GUESS_EVERY_MS, GUESS_EVERY_MS - 1, 1, 0]);
  });

  it('of one peer leave the bucket of another as it is', () => {
    const state = rightGuess(person, 'home', NOW);
    const both = guessed(state, [...burst('elsewhere'), 'home']);
    assert.ok(spendGuess(state, { guesses: both, peer: 'elsewhere' }, NOW).waitMs > 0);
    assert.equal(both.size, 2);
  });
});

describe('known peers', () => {
  const known = (...peers: readonly string[]) =>
    peers
      .reduce<PersonState>((state, peer) => rightGuess(state, peer, NOW), person)
      .peers.map(({ peer }) => peer);

  it('are each known once, the newest last', () => {
    assert.deepEqual(known('a', 'b', 'c'), ['a', 'b', 'c']);
    assert.deepEqual(known('a', 'b', 'a'), ['b', 'a']);
    assert.deepEqual(known('a', 'a'), ['a']);
  });

  it('are ten, of which the oldest is forgotten first', () => {
    const peers = Array.from({ length: 12 }, (_, place) => `peer-${place}`);
    assert.deepEqual(known(...peers), peers.slice(2));
  });
});
