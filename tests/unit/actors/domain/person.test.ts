/** Decisions about a person: links, tickets, guesses (D211, docs/security.md). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  addLink,
  addMailedLink,
  exchangeLink,
  findTicket,
  type Guesses,
  newPerson,
  rightGuess,
  slowedGuesses,
  spendGuess,
} from '../../../../actors/domain/person.ts';
import {
  GUESS_EVERY_MS,
  GUESSES_BURST,
  LINK_MAILS_PER_HOUR,
  SIGN_IN_LINK_MS,
  SIGN_IN_SECRETS_MAX,
  SIGN_IN_TICKET_MS,
} from '../../../../shared/limits.ts';

const NOW = 1_700_000_000_000;
const person = newPerson('prs_1');
const to = { orgId: 'org_1', memberId: 'mbr_1' };
const linked = addLink(person, { digest: 'link', to }, NOW).next;
const use = (id: string, ticket = 'ticket') => ({ id, digest: 'link', ticket });

describe('a sign-in link', () => {
  it('signs in within 15 minutes, and not at their end', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 * SIGN_IN_LINK_MS }), (lateMs) => {
        const exchanged = exchangeLink(linked, use('cmd_1'), NOW + lateMs);
        assert.equal(exchanged !== null, lateMs < SIGN_IN_LINK_MS);
      }),
    );
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

  it('is mailed three times within any hour', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30 * 60_000), { maxLength: 20 }), (waits) => {
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
      }),
    );
  });
});

describe('guesses of a passphrase', () => {
  it('are slowed, never locked out: within 6 s the next one may be made', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000), { maxLength: 200 }), (waits) => {
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
      }),
    );
  });

  it('from elsewhere do not slow a peer that has signed in before', () => {
    const state = rightGuess(person, 'home');
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
});
