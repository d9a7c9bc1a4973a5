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
const router = createConsoleRouter();
const refusal = await signInByAddress();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} context={{ refusal }} />
    </QueryClientProvider>
  </StrictMode>,
);
