import type { Fault } from '../common/validation/field.js';
import { type ImportFinding, MAX_FINDINGS } from './dto/imports.response.js';

/** What is wrong with the rows of a file: every fault is counted, and the first by line are reported. */
export class Findings {
  count = 0;
  told: readonly ImportFinding[] = [];

  add(line: number, fault: Fault): void {
    this.count += fault.size;
    if (this.told.length === MAX_FINDINGS && line >= (this.told.at(-1)?.line ?? 0)) return;
    const own = Array.from(fault, ([path, reason]) => ({ line, field: path === '' ? null : path, reason }));
    const byLine = [...this.told, ...own].sort((one, other) => one.line - other.line);
    this.told = byLine.slice(0, MAX_FINDINGS);
  }
}
