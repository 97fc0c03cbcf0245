/** @returns whether a promise was fulfilled within `ms`; false if it rejects */
export async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const inTime = promise.then(
    () => true,
    () => false,
  );
  return Promise.race([inTime, late]).finally(() => clearTimeout(timer));
}
