/** What takes effect once: well, and gone wrong. */
import { call, DEAL, type Ended, show, store, type Told } from './fixture.ts';
import type { Deal } from './history.ts';
import { once } from './once.ts';

const deal = (id: string, title = 'first') => ({ ...DEAL, id, title, readAt: 0 });
const answered = (id: string): Ended => ({ id });
const made = (over: Partial<Deal> = {}): Ended => ({ id: 'd', deal: { ...DEAL, ...over } });
const tries = (ended: readonly Ended[], ...ids: readonly string[]): Told => ({
  calls: ended.map((one) => call('deal-create', { title: 'first', onceKey: 'k' }, one)),
  deals: ids.map((id) => deal(id)),
});
const task = (id: string, title: string) => ({ id, title });
const wanted = (ended: Ended) => call('task-create', { title: 't' }, ended);
const keyed = (ended: Ended = {}) => call('deal-change', { title: 'm1', keyed: 'm1' }, ended);
const took = (...values: readonly string[]) =>
  store({ changes: values.map((value) => ({ id: 'd', field: 'title', value })) });

show(once, {
  createdIsThere: {
    well: [
      tries(['unknown', 409, answered('d')], 'd'),
      tries([answered('d'), answered('d')], 'd'),
      // When nobody was ever answered, it is there once or not at all.
      tries(['unknown', 'unknown'], 'd'),
      tries(['unknown', 409]),
      tries([404]),
      {
        calls: [wanted({ id: 'a' }), call('task-change', { title: 'new' })],
        store: store({ tasks: [task('a', 'new')] }),
      },
      // A later title is of no call that creates.
      {
        calls: [
          ...(tries([made()]).calls ?? []),
          call('deal-create', { title: 'x' }, 404),
          call('deal-change', { title: 'x' }),
        ],
        deals: [deal('d', 'x')],
      },
    ],
    'the deal first was accepted and is lost': [tries([made()]), tries(['unknown', answered('d')])],
    'the deal first is there 2 times': [
      tries(['unknown'], 'd', 'e'),
      tries(['unknown', answered('d')], 'd', 'e'),
    ],
    'the deal first was answered d and is e': [tries([answered('d')], 'e')],
    'the deal first was answered as d, e': [tries([answered('d'), answered('e')], 'd')],
    'the deal first was refused and is there': [tries([404], 'd')],
    'the task t was accepted and is lost': [{ calls: [wanted({ id: 'a' })] }],
    'the task t is there 2 times': [
      { calls: [wanted('unknown')], store: store({ tasks: [task('a', 't'), task('b', 't')] }) },
    ],
  },
  noKeyedCallHasTwoEffects: {
    well: [
      { calls: [keyed(), call('deal-change', { status: 'won' })], store: took('m1', 'm2') },
      { calls: [keyed('unknown')], store: took('m2') },
      { calls: [keyed(404)], store: took() },
    ],
    'deal-change m1 (200) took effect 2 times': [
      { calls: [keyed()], store: took('m1', 'm2', 'm1') },
    ],
    'deal-change m1 (503) took effect 2 times': [
      { calls: [keyed('unknown')], store: took('m1', 'm2', 'm1') },
    ],
    'deal-change m1 (200) was acknowledged and had no effect': [
      { calls: [keyed()], store: took() },
    ],
    'deal-change m1 (404) took effect all the same': [{ calls: [keyed(404)], store: took('m1') }],
  },
});
