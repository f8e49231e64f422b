# syntax=docker/dockerfile:1

# Node 24 has long-term support until April 2028. Debian rather than Alpine, because Node's own builds and most machines
# that run the tests have its C library; slim, because nothing here is compiled: bcrypt comes with its binary.
FROM node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe AS build
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json .swcrc nest-cli.json openapi.json ./
COPY scripts ./scripts
COPY migrations ./migrations
COPY src ./src
# There is no checkout in here to ask. /actuator/info shows these:
#   docker build --build-arg GIT_COMMIT="$(git rev-parse HEAD)" …
ARG GIT_BRANCH GIT_COMMIT GIT_COMMIT_TIME
RUN npm run build
# The optional packages are the compiler's binaries and the quickstart's PostgreSQL. What debuggers and compilers read
# goes as well, and bcrypt for other platforms.
RUN npm prune --omit=dev --omit=optional \
 && find node_modules dist \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete \
 && find node_modules/bcrypt/prebuilds -type f ! -path "*/linux-$(node -p process.arch)/bcrypt.glibc.node" -delete \
 && find node_modules/bcrypt/prebuilds -type d -empty -delete
# Node and Bash, which the health check is written in, with the libraries that they are linked to.
RUN mkdir /runtime \
 && { ldd /usr/local/bin/node /bin/bash | grep -o '/[^ :]*' | sort -u; echo /bin/bash /etc/passwd /etc/group; } \
    | xargs cp --parents --dereference --target-directory=/runtime

# From nothing, so that what was left out is in no layer: no npm, no package manager, no setuid program.
FROM scratch
# Password hashes run on libuv's threads, at most one fewer than there are, and no more than there are cores.
ENV PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production UV_THREADPOOL_SIZE=8
COPY --from=build /runtime /
WORKDIR /app
COPY --from=build /app/package.json /app/openapi.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# The command-line tool: node scripts/cli.mjs …
COPY scripts/cli.mjs scripts/health.sh ./scripts/
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["bash", "scripts/health.sh", "liveness"]
# Without npm or a shell in between: SIGTERM must reach Node.
CMD ["node", "--max-old-space-size=256", "--max-semi-space-size=16", "--heap-growing-percent=60", "--no-allocation-site-pretenuring", "dist/src/main.js"]
