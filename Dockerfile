# The command line and the web application, not as root; made for a read-only root file system:
#   docker build -t shoal .
#   docker run --rm --read-only --tmpfs /tmp --user "$(id -u):$(id -g)" -v "$PWD:/work" shoal frontier patients.study.yaml
#   docker run --rm --read-only --tmpfs /tmp --network host shoal serve
# With --user, what is written belongs to you: the image's own user may write to a folder of yours only if its
# number is yours. Where Docker runs in a machine of its own (Docker Desktop on macOS and Windows), `--network host`
# reaches your browser only if host networking is switched on in its settings.
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends g++ make && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN pip wheel --no-cache-dir --wheel-dir /wheels '/source[plot,postgres,risk,sign,stat,excel,utility,web]'

FROM python:3.12-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels 'shoal[plot,postgres,risk,sign,stat,excel,utility,web]' \
    && useradd --uid 1000 curator && install --directory --owner curator /work
ENV HOME=/tmp PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR=/tmp TMPDIR=/tmp
USER curator
WORKDIR /work
ENTRYPOINT ["shoal"]
CMD ["--help"]
