/**
 * The running service in its supervisor: the children of the Procfile, from their first start to
 * the last one's end.
 * 1. The death of a role affects no other role.
 * 2. The `run.json` file and the orphan reaper follow every change, from the moment all children
 *    are started.
 * 3. The stop order is gateway and panel, actors, simulator (the role `sandbox`), NATS and MongoDB,
 *    so that each finds its dependencies until it has ended. The stop lasts less than 10 s in all,
 *    by force where necessary.
 */
import { Child, type ChildListener, type ChildPlan } from './children/child.ts';
import { OrphanReaper } from './children/orphan-reaper.ts';
import { formatPage, REPORTING_ROLES, type RoleMetric } from './metrics.ts';

/** The roles that stop together, in order, and the grace period of each before it is killed. */
const STOP_ORDER: readonly { readonly roles: readonly string[]; readonly graceMs: number }[] = [
  { roles: ['gateway', 'panel'], graceMs: 5_200 },
  { roles: ['actors'], graceMs: 2_500 },
  { roles: ['sandbox'], graceMs: 300 },
  { roles: ['nats', 'mongo'], graceMs: 1_000 },
];
/** A role of the Procfile that is not in the order stops first. */
const OTHERS_GRACE_MS = 300;
const METRICS_TIMEOUT_MS = 1_000;

export interface ServiceListener {
  /** The processes per role now. */
  changed(pids: Readonly<Record<string, readonly number[]>>): void;
  died(role: string, processId: string): void;
  /** A role refuses to start: the service cannot work without it. */
  refused(sentence: string): void;
  /** One sentence for the terminal. */
  warn(sentence: string): void;
}

export class Service {
  readonly #children: readonly Child[];
  readonly #orphanReaper: OrphanReaper;
  readonly #listener: ServiceListener;
  readonly #roles: readonly string[];
  #started = false;

  /** `roles` are named in run.json even where no process of theirs is planned. */
  constructor(roles: readonly string[], plans: readonly ChildPlan[], listener: ServiceListener) {
    const childListener: ChildListener = {
      changed: () => this.#changed(),
      unlogged: listener.warn,
      died: (child, { processId, sentence }) => {
        listener.warn(sentence);
        listener.died(child.plan.role, processId);
      },
      refused: (child, sentence) => {
        listener.refused(`${child.plan.role} cannot start: ${sentence}`);
      },
    };
    this.#roles = roles;
    this.#listener = listener;
    this.#children = plans.map((plan) => new Child(plan, childListener));
    this.#orphanReaper = new OrphanReaper(listener.warn);
  }

  /** Starts everything at once: each role waits by itself for the servers that it needs. */
  start(): void {
    for (const child of this.#children) child.start();
    this.#started = true;
    this.#changed();
  }

  /** Tells the actors processes that one of them has died, and is marked so. */
  noticeDeath(): void {
    for (const child of this.#children) if (child.plan.role === 'actors') child.noticeDeath();
  }

  /** The page of metrics: of the roles, and each process's own. */
  async metricsPage(): Promise<string> {
    const reports = this.#children
      .filter((child) => REPORTING_ROLES.has(child.plan.role))
      .map(async (child) => ({
        role: child.plan.role,
        index: this.#indexOf(child),
        text: await child.askForMetrics(METRICS_TIMEOUT_MS),
      }));
    return formatPage(this.#metrics(), await Promise.all(reports));
  }

  #metrics(): readonly RoleMetric[] {
    return this.#children.map((child) => ({
      role: child.plan.role,
      index: this.#indexOf(child),
      up: child.pid !== null,
      restarts: child.restarts,
    }));
  }

  /** Its place among those of its role. */
  #indexOf(child: Child): number {
    return this.#children.filter((other) => sameRole(other, child)).indexOf(child);
  }

  async stop(): Promise<void> {
    const known = STOP_ORDER.flatMap((step) => step.roles);
    const others = this.#roles.filter((role) => !known.includes(role));
    const order = [{ roles: others, graceMs: OTHERS_GRACE_MS }, ...STOP_ORDER];
    for (const { roles, graceMs } of order) {
      const children = this.#children.filter((child) => roles.includes(child.plan.role));
      await Promise.all(children.map((child) => child.stop(graceMs)));
    }
    await this.#orphanReaper.close();
  }

  /** Ends everything at once, for a supervisor that cannot go on. */
  kill(): void {
    for (const child of this.#children) child.kill();
  }

  #changed(): void {
    if (!this.#started) return;
    const pids = this.#roles.map((role) => {
      const ofRole = this.#children.filter((child) => child.plan.role === role);
      return [role, ofRole.map((child) => child.pid).filter((pid) => pid !== null)] as const;
    });
    this.#orphanReaper.watch(pids.flatMap(([, ids]) => ids));
    this.#listener.changed(Object.fromEntries(pids));
  }
}

function sameRole(one: Child, other: Child): boolean {
  return one.plan.role === other.plan.role;
}
