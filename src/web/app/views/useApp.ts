import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PageState } from '../state/page.ts';
import type { SessionState } from '../state/session.ts';
import type { Texts } from '../state/texts.ts';

/** The state of the page and of the session that is signed in. */
export type AppState = PageState & SessionState;

export const PageContext = createContext<PageState | null>(null);
export const AppContext = createContext<AppState | null>(null);

/** The state, for what is shown to those who are signed in. */
export function useApp(): AppState {
  const app = useContext(AppContext);
  if (!app) throw new Error('Nobody is signed in.');
  return app;
}

/** The state of the page, for what is shown to everyone. */
export function usePage(): PageState {
  const page = useContext(PageContext);
  if (!page) throw new Error('There is no page.');
  return page;
}

/** What is said to the user, in their language. */
export const useTexts = (): Texts => usePage().texts.value;
