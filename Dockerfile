# SPDX-License-Identifier: MIT
# All of rig in one image, with the toolchains of the default targets; commands run within it
# (the host engine), so it needs no container engine inside.
#
#   docker build -t rig . && docker run --rm rig        the comparison
#   docker run --rm rig pytest                          the tests
#   docker run --rm rig rig check rolled --engine host  anything else
#
# Behind a proxy with a certificate of its own: --build-arg EXTRA_CA="$(cat ca.pem)"
ARG RELEASE=trixie
FROM debian:${RELEASE}-slim
ENV LC_ALL=C.UTF-8

RUN apt-get update -q && \
    DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
        ca-certificates git python3 python3-venv tini && \
    rm -rf /var/lib/apt/lists/*

COPY images /src/images
RUN apt-get update -q && \
    for target in $(grep -L '^default *= *false' /src/images/*/target.toml); do \
        cat "${target%/target.toml}/apt.txt"; \
    done | cat /src/images/common/apt.txt - | sed 's/#.*//' | \
    DEBIAN_FRONTEND=noninteractive xargs apt-get install -qy --no-install-recommends && \
    rm -rf /var/lib/apt/lists/*

ARG EXTRA_CA=
RUN if [ -n "$EXTRA_CA" ]; then \
        echo "$EXTRA_CA" >/usr/local/share/ca-certificates/extra.crt && update-ca-certificates; \
    fi
ENV PIP_CERT=/etc/ssl/certs/ca-certificates.crt

RUN useradd --create-home --key HOME_MODE=0755 --uid 1000 rig && mkdir -p /src && chown rig /src
USER rig
WORKDIR /src
COPY --chown=rig requirements-dev.lock ./
RUN python3 -m venv /home/rig/venv && \
    /home/rig/venv/bin/pip install -q --no-cache-dir -r requirements-dev.lock
COPY --chown=rig . ./
RUN /home/rig/venv/bin/pip install -q --no-cache-dir --no-deps -e .

ENV PATH=/home/rig/venv/bin:$PATH PYTEST_ADDOPTS=--rig-engine=host
ENTRYPOINT ["tini", "--"]
CMD ["rig", "compare", "--engine", "host"]
