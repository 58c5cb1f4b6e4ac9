/** Reports of one kind, one after the other: a later one never arrives first. */
export class OrderedReports<Report> {
  readonly #report: (report: Report) => Promise<void>;
  readonly #onFailed: (fault: unknown) => void;
  #last: Promise<void> = Promise.resolve();

  /** @param onFailed called when a report was not submitted */
  constructor(report: (report: Report) => Promise<void>, onFailed: (fault: unknown) => void) {
    this.#report = report;
    this.#onFailed = onFailed;
  }

  /** Resolves when every report so far has been submitted, or has failed. */
  get ended(): Promise<void> {
    return this.#last;
  }

  add(report: Report): void {
    this.#last = this.#last.then(async () => {
      try {
        await this.#report(report);
      } catch (fault) {
        this.#onFailed(fault);
      }
    });
  }
}
