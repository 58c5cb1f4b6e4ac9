/** Tags of an organization: their spelling, their bound, and the changes of a file (D18, D125). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  decideTags,
  missingTags,
  spellingsOf,
  tagChanges,
} from '../../../../actors/domain/tags.ts';
import { invalid } from '../../../../shared/failures.ts';
import { TAGS_MAX_PER_ORGANIZATION as MAX } from '../../../../shared/limits.ts';
import { foldTag } from '../../../../shared/text/fold-tag.ts';

/** Stored tags, of which the organization has `count` with the others. */
function known(stored: readonly string[] = [], count = stored.length) {
  return { names: new Map(stored.map((tag) => [foldTag(tag), tag])), count };
}

describe('the spellings in which contacts may have a tag (D420)', () => {
  it('are the organization’s, the caller’s, and small and capital letters', () => {
    assert.deepEqual(spellingsOf('vIP', 'Vip'), ['Vip', 'vIP', 'vip', 'VIP']);
    assert.deepEqual(spellingsOf('10', null), ['10'], 'one where there is no case');
  });

  it('are in both forms of an accent', () => {
    const spellings = spellingsOf('Água', null);
    assert.deepEqual(spellings, ['Água', 'A\u0301gua', 'água', 'a\u0301gua', 'ÁGUA', 'A\u0301GUA']);
  });
});

describe('the tags that a contact is to have', () => {
  it('are spelled as they are stored, else as they are written first', () => {
    const table = [
      [[], [], []],
      [['vip'], ['VIP'], []],
      [['Novo'], ['Novo'], ['Novo']],
      [['Novo', 'NOVO', 'novo'], ['Novo', 'Novo', 'Novo'], ['Novo']],
      [['água', 'vip', 'Lead'], ['Água', 'VIP', 'Lead'], ['Lead']],
      [['agua'], ['agua'], ['agua']],
      [[' vip ', 'A\u0301gua'], ['VIP', 'Água'], []],
      [[' Cafe\u0301', 'CAFÉ '], ['Café', 'Café'], ['Café']],
      [[' ', 'vip'], ['VIP'], []],
    ] as const;
    for (const [wanted, spelled, missing] of table) {
      const decided = decideTags(wanted, known(['VIP', 'Água']));
      assert.deepEqual(decided, { spelled, missing }, wanted.join());
    }
  });

  it('are refused together where the new ones are more than the organization can have', () => {
    const message = 'Uma organização pode ter no máximo 100000 etiquetas.';
    const refused = { refused: invalid({ path: 'tags', message }) };
    const one = { spelled: ['VIP', 'Novo'], missing: ['Novo'] };
    const two = { spelled: ['Novo', 'Lead'], missing: ['Novo', 'Lead'] };
    const none = { spelled: ['VIP'], missing: [] };
    const table = [
      [['vip', 'Novo'], MAX - 1, one],
      [['vip', 'Novo'], MAX, refused],
      [['Novo', 'Lead'], 1, two],
      [['Novo', 'Lead'], MAX - 2, two],
      [['Novo', 'Lead'], MAX - 1, refused],
      [['Novo', 'novo', 'NOVO'], MAX - 1, { spelled: ['Novo', 'Novo', 'Novo'], missing: ['Novo'] }],
      [['vip'], MAX, none],
      [['vip'], MAX + 1, none],
    ] as const;
    for (const [wanted, count, decision] of table) {
      assert.deepEqual(decideTags(wanted, known(['VIP'], count)), decision, `${wanted} ${count}`);
    }
  });
});

it('tags that are missing are compared without regard to case, and spelled as first written', () => {
  assert.deepEqual(missingTags(['vip', 'Café'], ['VIP', 'CAFÉ', 'cafe', 'Cafe']), ['cafe']);
  assert.deepEqual(missingTags([], ['B', 'a', 'b', 'A']), ['B', 'a']);
});

it('the tag changes of a file are those of the last entry for each tag', () => {
  const of = (...entries: readonly (readonly [string, boolean?])[]) =>
    tagChanges(
      entries.map(([ref, remove], index) => ({
        path: `tags.${index}`,
        entry: remove === undefined ? { ref } : { ref, remove },
      })),
    );
  assert.deepEqual(of(), { add: [], remove: [] });
  assert.deepEqual(of(['vip'], ['Lead', false], ['Old', true]), {
    add: ['vip', 'Lead'],
    remove: ['Old'],
  });
  assert.deepEqual(of(['vip'], ['VIP', true]), { add: [], remove: ['VIP'] });
  assert.deepEqual(of(['VIP', true], ['vip']), { add: ['vip'], remove: [] });
  assert.deepEqual(of(['Vip'], ['vip']), { add: ['Vip'], remove: [] });
  assert.deepEqual(of(['Vip', true], ['vip', true]), { add: [], remove: ['vip'] });
});
