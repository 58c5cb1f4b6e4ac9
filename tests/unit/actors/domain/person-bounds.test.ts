/** Peers and guesses of a person, mailed links, links that are used: at their bounds (D211). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  addLink,
  addMailedLink,
  exchangeLink,
  findTicket,
  type Guesses,
  newPerson,
  type PersonState,
  rightGuess,
  spendGuess,
  withTicket,
} from '../../../../actors/domain/person.ts';
import { GUESS_EVERY_MS, GUESSES_BURST, SIGN_IN_TICKET_MS } from '../../../../shared/limits.ts';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;
const MAILS = 3;
const person = newPerson('prs_1');

/** The person after links that were mailed at these times. */
function mailedAt(...times: readonly number[]): PersonState {
  return times.reduce<PersonState>(
    (state, at) => addMailedLink(state, `link-${at}`, at) ?? assert.fail(),
    person,
  );
}

describe('a new person', () => {
  it('has no passphrase, no commit, and nothing to sign in with', () => {
    assert.deepEqual(person, {
      ...{ id: 'prs_1', passphrase: null, version: 0 },
      ...{ links: [], tickets: [], peers: [], mailed: [], sessions: [] },
    });
  });
});

describe('mailed links', () => {
  const full = mailedAt(NOW, NOW + 1, NOW + 2);

  it('are three within an hour, and again when the first one is an hour old', () => {
    assert.equal(full.mailed.length, MAILS);
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
    const state = rightGuess(person, 'home');
    const both = guessed(state, [...burst('elsewhere'), 'home']);
    assert.ok(spendGuess(state, { guesses: both, peer: 'elsewhere' }, NOW).waitMs > 0);
    assert.equal(both.size, 2);
  });
});

describe('known peers', () => {
  const known = (...peers: readonly string[]) =>
    peers.reduce<PersonState>((state, peer) => rightGuess(state, peer), person).peers;

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
