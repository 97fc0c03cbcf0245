// Preloaded into a process (`--import`) to set its clock wrong by as many milliseconds as PARLEY_TEST_CLOCK says.
const byMs = Number(process.env.PARLEY_TEST_CLOCK);
const Right = Date;

globalThis.Date = class extends Right {
  constructor(...args) {
    super(...(args.length === 0 ? [Right.now() + byMs] : args));
  }

  static now() {
    return Right.now() + byMs;
  }
};
