import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchInput } from './api/background';
import { createQueries } from './api/queries';
import { signInByAddress } from './sign-in/code';
import { createConsoleRouter } from './router';
import { applyTheme } from './shell/theme';
import './styles.css';

applyTheme();
watchInput();
const queries = createQueries();
/** The same page is the API reference alone, for everyone. */
const isReference = /^\/docs(?:\/|$)/.test(location.pathname);
const page = isReference ? await referencePage() : await consolePage();

async function referencePage() {
  const { createDocsRouter } = await import('./api-reference/docs-router');
  return <RouterProvider router={createDocsRouter()} />;
}

async function consolePage() {
  const refusal = await signInByAddress();
  return <RouterProvider router={createConsoleRouter()} context={{ refusal }} />;
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>{page}</QueryClientProvider>
  </StrictMode>,
);
