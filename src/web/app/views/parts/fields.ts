import { attempt } from '../../state/toasts.ts';

/** A form whose fields are given to `work` by name; it is emptied when that worked and `clear` is set. */
export function useFields(work: (field: (name: string) => string) => Promise<void>, clear: boolean) {
  return async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const data = new FormData(form);
    const worked = await attempt(() => work((name) => String(data.get(name) ?? '')));
    if (worked && clear) form.reset();
  };
}
