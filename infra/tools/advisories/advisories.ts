/**
 * The registry's advisories against the packages that the service is installed with, as `npm audit`
 * reports them. No answer is not a good answer: the two are kept apart.
 */
import * as v from 'valibot';

const Via = v.union([
  v.string(),
  v.object({ title: v.string(), url: v.string(), severity: v.string(), range: v.string() }),
]);
const Audit = v.object({
  auditReportVersion: v.number(),
  vulnerabilities: v.record(
    v.string(),
    v.object({ name: v.string(), severity: v.string(), range: v.string(), via: v.array(Via) }),
  ),
});
const Unanswered = v.object({ message: v.string() });

export type Advisories =
  | { readonly asked: true; readonly lines: readonly string[] }
  | { readonly asked: false; readonly why: string };

/** One line per advisory; a package that only depends on a vulnerable one has none of its own. */
export function readAdvisories(report: string): Advisories {
  const json = v.safeParse(v.pipe(v.string(), v.parseJson()), report);
  const audit = v.safeParse(Audit, json.output);
  if (!audit.success) {
    const unanswered = v.safeParse(Unanswered, json.output);
    return { asked: false, why: unanswered.success ? unanswered.output.message : 'no answer' };
  }
  const lines = Object.values(audit.output.vulnerabilities).flatMap(({ name, via }) =>
    via.flatMap((each) =>
      typeof each === 'string'
        ? []
        : [`${each.severity} ${name} ${each.range}: ${each.title} ${each.url}`],
    ),
  );
  return { asked: true, lines };
}
