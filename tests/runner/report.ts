/** Report of several runs beside each other: whole top-level tests in turn, and one total. */
import type { EventData, TestsStream } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';

type Counts = EventData.TestSummary['counts'];

/** The total of one run, as lines: `tests 12`, `duration_ms 5.1`. */
const TOTAL = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;
const NONE = { tests: 0, suites: 0, passed: 0, cancelled: 0, skipped: 0, todo: 0, topLevel: 0 };

export class Report {
  readonly #spec = new spec();
  readonly #startedAt = performance.now();
  #counts: Counts = NONE;
  #failed = 0;
  #success = true;

  constructor(output: NodeJS.WritableStream) {
    this.#spec.pipe(output);
  }

  /** Resolves when the run has ended. */
  async add(run: TestsStream): Promise<void> {
    let events: TestEvent[] = [];
    for await (const event of run as AsyncIterable<TestEvent>) {
      if (event.type === 'test:summary') this.#sum(event.data);
      else if (!isTotal(event)) events.push(event);
      if (isFailure(event)) this.#failed++;
      if (!endsTopLevelTest(event)) continue;
      this.#write(events);
      events = [];
    }
    this.#write(events);
  }

  /** Prints the failures and the totals; true if every test passed. */
  async end(): Promise<boolean> {
    const { tests, suites, passed, cancelled, skipped, todo } = this.#counts;
    const duration_ms = performance.now() - this.#startedAt;
    const totals = { tests, suites, pass: passed, fail: this.#failed, cancelled, skipped, todo };
    for (const [name, value] of Object.entries({ ...totals, duration_ms })) {
      const data = { nesting: 0, message: `${name} ${value}`, level: 'info' } as const;
      this.#spec.write({ type: 'test:diagnostic', data });
    }
    const data = { counts: this.#counts, duration_ms, file: undefined, success: this.#success };
    this.#spec.write({ type: 'test:summary', data });
    const printed = new Promise((resolve) => this.#spec.once('end', resolve));
    this.#spec.end();
    await printed;
    return this.#success;
  }

  #write(events: readonly TestEvent[]): void {
    for (const event of events) this.#spec.write(event);
  }

  /** A run gives a sum of each file too. */
  #sum({ file, counts, success }: EventData.TestSummary): void {
    if (file !== undefined) return;
    this.#success &&= success;
    const sum = (name: keyof Counts) => this.#counts[name] + counts[name];
    this.#counts = {
      ...{ tests: sum('tests'), suites: sum('suites'), passed: sum('passed') },
      ...{ cancelled: sum('cancelled'), skipped: sum('skipped'), todo: sum('todo') },
      topLevel: sum('topLevel'),
    };
  }
}

function isTotal(event: TestEvent): boolean {
  return (
    event.type === 'test:diagnostic' && event.data.nesting === 0 && TOTAL.test(event.data.message)
  );
}

function isFailure(event: TestEvent): boolean {
  if (event.type !== 'test:fail') return false;
  const { details, todo } = event.data;
  return details.type !== 'suite' && todo === undefined;
}

function endsTopLevelTest(event: TestEvent): boolean {
  return (event.type === 'test:pass' || event.type === 'test:fail') && event.data.nesting === 0;
}
